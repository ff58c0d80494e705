/**
 * The first start on an empty store: makes a company, its administrator and an API token, recorded as events like
 * everything else.
 *
 * One event of a stream with a fixed name decides all of it, so that of several processes that start together one decides
 * and the others follow. Generated values are shown before they are stored: if the process dies in between, the values
 * shown are void and the next start generates others. Nothing is ever stored that was not shown.
 */
import { randomBytes } from 'node:crypto'
import { appendIfFirst } from '../commands/support/append-if-first.ts'
import { createRecord } from '../commands/create-record.ts'
import { derivedId, type Identifiers } from '../commands/support/identifiers.ts'
import { ownEvent } from '../commands/support/own-event.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import { SYSTEM, type RecordedEvent } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
import { OPERATOR, SYSTEM_ADMIN } from '../rights/granting.ts'
import { company as companyObject, user as userObject } from './objects.ts'
import type { Passwords } from './secrets/passwords.ts'
import { newTokenValue, tokenHash, tokenHint, type TokenPlaces } from './tokens/token-values.ts'

/** Settings of the first start. Email is in its plain form. */
export interface Given {
  readonly company: string
  readonly email: string
  readonly password: string | undefined
  readonly token: string | undefined
}

/** What the operator who starts on an empty store has to know: shown once, never logged. */
export interface FirstStart {
  /** Key. */
  readonly company: string
  readonly companyName: string
  readonly email: string
  /** Password and token only where they were generated. */
  readonly password?: string
  readonly token?: string
}

export interface BootstrapOptions {
  readonly events: Pick<EventStore, 'append' | 'read'>
  readonly identifiers: Identifiers
  readonly clock: Clock
  readonly write: Pick<WriteRecords, 'create'>
  readonly places: TokenPlaces
  readonly passwords: Pick<Passwords, 'hash'>
  /** No other process appends to the store. */
  readonly onlyWriter: boolean
  readonly given: Given
  readonly show: (first: FirstStart) => void
  /** Another process was faster: what was shown is not valid. */
  readonly showVoid: () => void
  /** Waits this many ms. */
  readonly pause: (ms: number) => Promise<unknown>
}

/** Data of the deciding event. Stores of the first versions have only the first four. */
interface Decision {
  readonly Company: string
  readonly CompanyName: string
  readonly Token: string
  readonly TokenHash: string
  readonly TokenHint?: string
  readonly Email?: string
  readonly PasswordHash?: string
}

const STREAM = 'bootstrap'
const ROLES = [SYSTEM_ADMIN, OPERATOR]
/** How long to wait for another process that has begun. */
const LONGEST_MS = 15_000
const LOOK_MS = 200

/** Resolves to the Key of the first company. @throws Unavailable; it may then be repeated */
export async function bootstrap(options: BootstrapOptions): Promise<string> {
  const decided = await decision(options)
  await carryOut(options, decided)
  return (decided.data as unknown as Decision).Company
}

async function decision(options: BootstrapOptions): Promise<RecordedEvent> {
  const { events, clock, onlyWriter, pause } = options
  for (;;) {
    const stored = await events.read(SYSTEM, STREAM)
    const decided = stored.find(({ type }) => type === 'bootstrap.completed')
    if (decided) return decided
    const last = stored.at(-1)
    const isUnderWay = last && Math.abs(clock.now() - Date.parse(last.metadata.recordedAt)) < LONGEST_MS
    if (isUnderWay && !onlyWriter) await pause(LOOK_MS)
    else await decide(options, stored.length)
  }
}

async function decide(options: BootstrapOptions, version: number): Promise<void> {
  const { identifiers, passwords, given, show, showVoid } = options
  const company = identifiers.newKey('company')
  const token = given.token ?? newTokenValue()
  const password = given.password ?? randomBytes(15).toString('base64url')
  // Makes other processes wait instead of generating values of their own.
  const begun = await add(options, STREAM, version, 'bootstrap.begun', {}, identifiers.newCommand())
  if (!begun) return
  show({
    company,
    companyName: given.company,
    email: given.email,
    ...(given.password === undefined && { password }),
    ...(given.token === undefined && { token }),
  })
  const data: Decision = {
    Company: company,
    CompanyName: given.company,
    Token: identifiers.newKey('token'),
    TokenHash: tokenHash(token),
    TokenHint: tokenHint(token),
    Email: given.email,
    PasswordHash: await passwords.hash(password, company),
  }
  const fields = data as unknown as Fields
  if (!(await add(options, STREAM, version + 1, 'bootstrap.completed', fields, identifiers.newCommand())))
    showVoid()
}

/** Repeated at each start: an earlier one may have died on the way. */
async function carryOut(options: BootstrapOptions, { id, data, metadata }: RecordedEvent): Promise<void> {
  const { places, write } = options
  const { Company, CompanyName, Token, TokenHash, TokenHint, Email, PasswordHash } =
    data as unknown as Decision
  const { data: firm } = createRecord({
    definition: companyObject,
    body: { Name: CompanyName },
    today: undefined,
  })
  await add(options, Company, 0, 'company.created', firm, id, Company)
  await places.point(
    TokenHash,
    { company: Company, key: Token },
    { command: id, now: Date.parse(metadata.recordedAt) },
  )
  const token = {
    Name: 'bootstrap',
    Roles: ROLES,
    Hash: TokenHash,
    ...(TokenHint !== undefined && { Hint: TokenHint }),
  }
  await add(options, Token, 0, 'token.created', token, id, Company)
  if (Email === undefined || PasswordHash === undefined) return
  const caller = {
    company: Company,
    actor: SYSTEM,
    correlation: id,
    command: derivedId(`${id}/user`),
    // The Key is derived from it, so a user that exists already is found.
    repeatedFrom: Date.parse(metadata.at),
  }
  const body = { Email, Name: 'Administrator', Roles: ROLES, PasswordHash, SessionEpoch: 0 }
  await write.create(caller, { definition: userObject, body })
}

/** Appends an event to a stream; false when the stream is not at that version. */
async function add(
  { events, clock }: BootstrapOptions,
  stream: string,
  expected: number,
  type: string,
  data: Fields,
  command: string,
  company = SYSTEM,
): Promise<boolean> {
  const event = ownEvent({ company, stream, type, data, now: clock.now(), command, name: 'bootstrap' })
  return (await appendIfFirst(events, { company, stream, expected, events: [event] })) !== undefined
}
