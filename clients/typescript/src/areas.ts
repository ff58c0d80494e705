/** The parts of the service beside the records: who one is, tokens, webhooks, the warehouse. */
import { Listing } from './listing.ts'
import type { Call, Transport, Wishes, WriteWishes } from './transport.ts'
import type { AnyFields, AnyRecord } from './values.ts'

export interface Me {
  readonly Id: string
  readonly Email: string | null
  readonly Name: string
  readonly Company: { readonly Id: string; readonly Name: string }
  readonly Roles: readonly string[]
}

/** What is asked for below `/api/v1/`, and its Data. */
export async function ask<T>(transport: Transport, call: Call): Promise<T> {
  return (await transport.json<{ Data: T }>(call)).body.Data
}

/** Things with the same routes as records have, in an area of their own: `identity/tokens`, `webhooks`. */
export class Things<T extends { readonly Id: string } = AnyRecord> {
  protected readonly transport: Transport
  protected readonly path: string

  constructor(transport: Transport, path: string) {
    this.transport = transport
    this.path = path
  }

  list(query: { readonly filter?: string; readonly sort?: string } & Wishes = {}): Listing<T> {
    const { filter, sort, ...wishes } = query
    return new Listing({
      transport: this.transport,
      path: this.path,
      query: { filter, sort },
      wishes,
      asOf: undefined,
    })
  }
  get(key: string, wishes: Wishes = {}): Promise<T> {
    return ask(this.transport, { method: 'GET', path: this.of(key), ...wishes })
  }
  create(fields: AnyFields, wishes: WriteWishes = {}): Promise<T> {
    return ask(this.transport, { method: 'POST', path: this.path, body: fields, ...wishes })
  }
  update(key: string, changes: AnyFields, wishes: WriteWishes & { ifMatch?: string } = {}): Promise<T> {
    return ask(this.transport, { method: 'PATCH', path: this.of(key), body: changes, ...wishes })
  }
  delete(
    key: string,
    wishes: WriteWishes & { ifMatch?: string } = {},
  ): Promise<{ Id: string; IsDeleted: true }> {
    return ask(this.transport, { method: 'DELETE', path: this.of(key), ...wishes })
  }

  protected of(...parts: readonly string[]): string {
    return [this.path, ...parts.map(encodeURIComponent)].join('/')
  }
  protected post<R>(key: string, action: readonly string[], body: unknown, wishes: WriteWishes): Promise<R> {
    return ask(this.transport, { method: 'POST', path: this.of(key, ...action), body, ...wishes })
  }
}

export interface IssuedToken {
  readonly Id: string
  readonly Name: string
  readonly Roles: readonly string[]
  readonly ExpiresAt: string | null
  /** Its value, shown only this once. */
  readonly Token: string
  readonly [field: string]: unknown
}

export class Tokens extends Things<AnyRecord> {
  override create(fields: AnyFields, wishes: WriteWishes = {}): Promise<IssuedToken> {
    return super.create(fields, wishes) as Promise<IssuedToken>
  }
  /** A new value; the old one is valid for 24 more hours. */
  rotate(key: string, wishes: WriteWishes = {}): Promise<IssuedToken> {
    return this.post(key, ['rotate'], undefined, wishes)
  }
}

/** Why a user may, or may not, do something. */
export interface Rights {
  readonly User: { readonly Id: string; readonly Name: string | null }
  readonly Roles: readonly string[]
  readonly Object: string | null
  readonly Key: string | null
  readonly Rights: readonly {
    readonly Action: string
    readonly Allowed: boolean
    readonly Because: readonly string[]
  }[]
}

/** A place where a user is logged in. */
export interface UserSession {
  readonly Id: string
  readonly CreatedAt: string
  readonly ExpiresAt: string | null
  readonly IsCurrent: boolean
}

export class Users extends Things<AnyRecord> {
  /** What the user may do with the records of an object, or with one record. Needs `administer`. */
  rights(
    key: string,
    about: { readonly object?: string; readonly key?: string } & Wishes = {},
  ): Promise<Rights> {
    const { object, key: record, ...wishes } = about
    const query = { object, key: record }
    return ask(this.transport, { method: 'GET', path: this.of(key, 'rights'), query, ...wishes })
  }
  sessions(key: string, wishes: Wishes = {}): Promise<readonly UserSession[]> {
    return ask(this.transport, { method: 'GET', path: this.of(key, 'sessions'), ...wishes })
  }
  endSession(
    key: string,
    session: string,
    wishes: WriteWishes = {},
  ): Promise<{ readonly Id: string; readonly IsDeleted: true }> {
    return ask(this.transport, { method: 'DELETE', path: this.of(key, 'sessions', session), ...wishes })
  }
}

export class Webhooks extends Things<AnyRecord> {
  ping(key: string, wishes: WriteWishes = {}): Promise<AnyRecord> {
    return this.post(key, ['ping'], undefined, wishes)
  }
  rotateSecret(
    key: string,
    body?: { readonly Secret?: string },
    wishes: WriteWishes = {},
  ): Promise<AnyRecord> {
    return this.post(key, ['rotate-secret'], body, wishes)
  }
  /** Sends again what happened from then on. */
  replay(
    key: string,
    span: { readonly From: 'beginning' | (string & {}); readonly To?: string },
    wishes: WriteWishes = {},
  ): Promise<AnyRecord> {
    return this.post(key, ['replay'], span, wishes)
  }
  deliveries(
    key: string,
    query: { readonly state?: string; readonly event?: string; readonly record?: string } & Wishes = {},
  ): Listing<AnyRecord> {
    const { state, event, record, ...wishes } = query
    const path = this.of(key, 'deliveries')
    const filter = { state, event, record }
    return new Listing({ transport: this.transport, path, query: filter, wishes, asOf: undefined })
  }
  delivery(key: string, id: string, wishes: Wishes = {}): Promise<AnyRecord> {
    return ask(this.transport, { method: 'GET', path: this.of(key, 'deliveries', id), ...wishes })
  }
  redeliver(key: string, id: string, wishes: WriteWishes = {}): Promise<AnyRecord> {
    return this.post(key, ['deliveries', id, 'redeliver'], undefined, wishes)
  }
  /** Names of events that can be subscribed to. */
  events(wishes: Wishes = {}): Promise<readonly unknown[]> {
    return ask(this.transport, { method: 'GET', path: `${this.path}/events`, ...wishes })
  }
}

export interface QueryAnswer {
  readonly Columns: readonly string[]
  readonly Rows: readonly (readonly unknown[])[]
}

export class Warehouse {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  tables(wishes: Wishes = {}): Promise<readonly AnyFields[]> {
    return ask(this.#transport, { method: 'GET', path: 'warehouse', kind: 'seen', ...wishes })
  }
  /** A question in SQL; an answer of more rows than `maxRows` (10,000; at most 50,000) is refused. */
  query(
    Sql: string,
    { maxRows, ...wishes }: { readonly maxRows?: number } & Wishes = {},
  ): Promise<QueryAnswer> {
    return ask(this.#transport, {
      method: 'POST',
      path: 'warehouse/query',
      body: { Sql, ...(maxRows !== undefined && { MaxRows: maxRows }) },
      kind: 'seen',
      ...wishes,
    })
  }
  /** A whole table, as a stream. */
  async download(
    table: string,
    format: 'json' | 'jsonl' | 'csv' | 'parquet',
    wishes: Wishes = {},
  ): Promise<Response> {
    const path = `warehouse/${encodeURIComponent(table)}`
    return this.#transport.raw({ method: 'GET', path, query: { format }, kind: 'seen', ...wishes })
  }
}

export class Session {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Who the token or the session is. */
  me(wishes: Wishes = {}): Promise<Me> {
    return ask(this.#transport, { method: 'GET', path: 'identity/me', ...wishes })
  }
  /** Begins a session by cookie. CompanyKey may be left out where there is only one company. @throws Unauthorized */
  logIn(
    login: { readonly Email: string; readonly Password: string; readonly CompanyKey?: string },
    wishes: Wishes = {},
  ): Promise<Me> {
    return ask(this.#transport, {
      method: 'POST',
      path: 'identity/login',
      body: login,
      kind: 'plain',
      ...wishes,
    })
  }
  async logOut(wishes: Wishes = {}): Promise<void> {
    await ask(this.#transport, { method: 'POST', path: 'identity/logout', kind: 'plain', ...wishes })
  }
}
