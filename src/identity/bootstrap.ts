/**
 * The first start of an empty store: a company and a token to begin with, recorded as events like everything else.
 *
 * Later starts find them again by a pointer in a stream of a fixed name, written last: a start that dies on the way is
 * simply a first start again.
 */
import { hash, randomBytes } from 'node:crypto'
import type { EventMetadata, NewEvent } from '../domain/event.ts'
import type { Fields } from '../domain/json.ts'
import { eventId, type Identifiers } from '../commands/identifiers.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
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
  const { events } = options
  const [pointer] = await events.read(SYSTEM, POINTER)
  if (!pointer) return firstStart(options)
  const { Company: company, Token: key } = pointer.data as { Company: string; Token: string }
  const [created] = await events.read(company, key)
  if (!created) throw new Error(`the store names the token ${key} but does not hold it`)
  return { company, authenticate: authenticateBy(company, key, created.data) }
}

async function firstStart({
  events,
  identifiers,
  clock,
  company: name,
  token: given,
}: BootstrapOptions): Promise<Bootstrapped> {
  const command = identifiers.newCommand()
  const company = identifiers.newKey('company')
  const key = identifiers.newKey('token')
  const token = given ?? `daybook_${randomBytes(24).toString('base64url')}`
  const tokenData: Fields = { Name: 'bootstrap', Hash: hashOf(token), Roles: ['system_admin', 'operator'] }
  const add = async (scope: string, stream: string, type: string, data: Fields) => {
    const metadata: EventMetadata = {
      company: scope,
      actor: 'daybook',
      at: new Date(clock.now()).toISOString(),
      correlation: command,
      command: 'bootstrap',
      schema: 1,
    }
    const event: NewEvent = { id: eventId(command, stream, 0), type, data, metadata }
    await events.append({ company: scope, stream, expected: 0, events: [event] })
  }
  await add(company, company, 'company.created', { Name: name })
  await add(company, key, 'token.created', tokenData)
  await add(SYSTEM, POINTER, 'bootstrap.completed', { Company: company, Token: key })
  return {
    company,
    authenticate: authenticateBy(company, key, tokenData),
    ...(given === undefined && { generatedToken: token }),
  }
}

function authenticateBy(company: string, key: string, { Name, Hash, Roles }: Fields): Authenticate {
  const principal: Principal = {
    company,
    actor: key,
    name: Name as string,
    roles: Roles as readonly string[],
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
