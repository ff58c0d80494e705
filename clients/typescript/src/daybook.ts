/** The client: `new Daybook({ url, token })`. An object's records are a property of its name: `daybook.contract`. */
import { Session, Things, Tokens, Users, Warehouse, Webhooks } from './areas.ts'
import { Bank } from './bank.ts'
import { Imports } from './imports.ts'
import { Integrations } from './integrations.ts'
import { Listing } from './listing.ts'
import { Records, type WaitingRecord } from './records.ts'
import { Templates } from './templates.ts'
import { Transport, type Answer, type Call, type DaybookOptions, type Wishes } from './transport.ts'
import type { AnyFields, AnyObject, AnyRecord, ObjectTypes } from './values.ts'

/** Objects by name: what `daybook types` makes. */
export interface AnyObjects {
  readonly [object: string]: AnyObject
}

class Service {
  readonly #transport: Transport
  readonly session: Session
  readonly tokens: Tokens
  readonly users: Users
  readonly roles: Things
  readonly companies: Things
  readonly webhooks: Webhooks
  readonly warehouse: Warehouse
  readonly imports: Imports
  readonly integrations: Integrations
  readonly bank: Bank
  /** Of the notification service: for a client with its `url`. */
  readonly templates: Templates

  constructor(options: DaybookOptions) {
    const transport = new Transport(options)
    this.#transport = transport
    this.session = new Session(transport)
    this.tokens = new Tokens(transport, 'identity/tokens')
    this.users = new Users(transport, 'identity/users')
    this.roles = new Things(transport, 'identity/roles')
    this.companies = new Things(transport, 'identity/companies')
    this.webhooks = new Webhooks(transport, 'webhooks')
    this.warehouse = new Warehouse(transport)
    this.imports = new Imports(transport)
    this.integrations = new Integrations(transport, 'integrations')
    this.bank = new Bank(transport)
    this.templates = new Templates(transport)
  }

  /** Records of an object by its name: of one that is only known when the program runs, or named like a member here. */
  records(object: string): Records {
    return new Records(this.#transport, object)
  }

  /** Events of the company, in order of position; by itself oldest first. */
  audit(query: AnyFields & Wishes = {}): Listing<AnyRecord> {
    const { signal, timeoutMs, retries, ...filters } = query
    const asked = filters as { readonly [name: string]: string }
    const wishes = { signal, timeoutMs, retries }
    return new Listing({ transport: this.#transport, path: 'audit', query: asked, wishes, asOf: undefined })
  }

  /** Records that wait for the caller to act on them, the oldest first. */
  async waiting(query: { readonly object?: string; readonly pageSize?: number } & Wishes = {}): Promise<{
    readonly waiting: readonly WaitingRecord[]
    readonly hasMore: boolean
  }> {
    const { object, pageSize, ...wishes } = query
    const { body } = await this.request<{ Data: readonly WaitingRecord[]; HasMore: boolean }>({
      ...{ method: 'GET', path: 'waiting', query: { object, pageSize } },
      ...wishes,
    })
    return { waiting: body.Data, hasMore: body.HasMore }
  }

  /** The service's description of itself; needs no token. */
  async openapi(wishes: Wishes = {}): Promise<AnyFields> {
    return (await this.request<AnyFields>({ method: 'GET', path: 'openapi.json', ...wishes })).body
  }

  /** Any other request below `/api/v1/`, with the same retries and keys. */
  request<T>(call: Call): Promise<Answer<T>> {
    return this.#transport.json(call)
  }

  /** The same, its body unread: for files. */
  requestRaw(call: Call): Promise<Response> {
    return this.#transport.raw(call)
  }
}

type ByName<O> = {
  readonly [Name in Exclude<keyof O, keyof Service>]: O[Name] extends ObjectTypes ? Records<O[Name]> : never
}

export type Daybook<O = AnyObjects> = Service & ByName<O>

/** @throws TypeError without a `url`, outside a browser */
export const Daybook = function (options: DaybookOptions): Daybook {
  const known = new Map<string, Records>()
  return new Proxy(new Service(options), {
    get(service, name) {
      const own: unknown = Reflect.get(service, name, service)
      if (typeof own === 'function') return (own as (...given: unknown[]) => unknown).bind(service)
      // A promise is what has `then`; objects have names of lowercase letters and digits.
      if (own !== undefined || typeof name === 'symbol' || name === 'then' || !/^[a-z][a-z0-9]*$/.test(name))
        return own
      const records = known.get(name) ?? service.records(name)
      known.set(name, records)
      return records
    },
  }) as unknown as Daybook
} as unknown as new <O = AnyObjects>(options: DaybookOptions) => Daybook<O>
