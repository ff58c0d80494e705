/**
 * The first start of an empty store: a company and a token to begin with, recorded as events like everything else.
 *
 * All of it is decided by the first event of a stream with a fixed name, so that of two processes that start together one
 * decides and the other follows.
 */
import { hash, randomBytes } from 'node:crypto'
import type { EventMetadata, NewEvent } from '../domain/event.ts'
import type { Fields } from '../domain/json.ts'
import { eventId, type Identifiers } from '../commands/identifiers.ts'
import type { Clock } from '../ports/clock.ts'
import { VersionConflict, type EventStore } from '../ports/event-store.ts'
import { everything } from './access.ts'
import type { Authenticate, Principal } from './principal.ts'

export interface BootstrapOptions {
  readonly events: EventStore
  readonly identifiers: Identifiers
  readonly clock: Clock
  /** Name of the company. */
  readonly company: string
  /** The token's value; generated when there is none. */
  readonly token: string | undefined
}

export interface Bootstrapped {
  readonly authenticate: Authenticate
  /** The company's Key. */
  readonly company: string
  /** Only on the first start, and only when it was generated: to be shown once, never logged. */
  readonly generatedToken?: string
}

/** The scope of what belongs to no company. */
const SYSTEM = 'daybook'
const POINTER = 'bootstrap'

export async function bootstrap(options: BootstrapOptions): Promise<Bootstrapped> {
  const { events, identifiers, company, token: given } = options
  let [pointer] = await events.read(SYSTEM, POINTER)
  let generatedToken: string | undefined
  if (!pointer) {
    const token = given ?? `daybook_${randomBytes(24).toString('base64url')}`
    const data = {
      Company: identifiers.newKey('company'),
      CompanyName: company,
      Token: identifiers.newKey('token'),
      TokenHash: hashOf(token),
    }
    const first = await add(options, SYSTEM, POINTER, 'bootstrap.completed', data, identifiers.newCommand())
    if (first && given === undefined) generatedToken = token
    ;[pointer] = await events.read(SYSTEM, POINTER)
  }
  if (!pointer) throw new Error('the event store does not show what it has stored')
  const { Company, CompanyName, Token, TokenHash } = pointer.data as unknown as BootstrapData
  // Each start makes sure of them: the first may have died on the way.
  const tokenData = { Name: 'bootstrap', Hash: TokenHash, Roles: ['system_admin', 'operator'] }
  await add(options, Company, Company, 'company.created', { Name: CompanyName }, pointer.id)
  await add(options, Company, Token, 'token.created', tokenData, pointer.id)
  return {
    company: Company,
    authenticate: authenticateBy(Company, Token, tokenData),
    ...(generatedToken !== undefined && { generatedToken }),
  }
}

interface BootstrapData {
  readonly Company: string
  readonly CompanyName: string
  readonly Token: string
  readonly TokenHash: string
}

/** Writes the first event of a stream; false when there is one already. */
async function add(
  { events, clock }: BootstrapOptions,
  company: string,
  stream: string,
  type: string,
  data: Fields,
  command: string,
): Promise<boolean> {
  const at = new Date(clock.now()).toISOString()
  const metadata: EventMetadata = {
    company,
    actor: SYSTEM,
    at,
    correlation: command,
    command: 'bootstrap',
    schema: 1,
  }
  const event: NewEvent = { id: eventId(command, stream, 0), type, data, metadata }
  try {
    await events.append({ company, stream, expected: 0, events: [event] })
    return true
  } catch (error) {
    if (error instanceof VersionConflict) return false
    throw error
  }
}

function authenticateBy(company: string, key: string, { Name, Hash, Roles }: Fields): Authenticate {
  const principal: Principal = {
    company,
    actor: key,
    name: Name as string,
    roles: Roles as readonly string[],
    access: everything,
  }
  let known: string | undefined
  return (token) => {
    if (known !== undefined && token === known) return principal
    if (hashOf(token) !== Hash) return undefined
    known = token
    return principal
  }
}

function hashOf(token: string): string {
  return hash('sha256', token)
}
