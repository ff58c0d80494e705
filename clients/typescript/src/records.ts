/** The records of one object: `daybook.contract`. */
import { Listing, type Page } from './listing.ts'
import type { Query, Transport, Wishes, WriteWishes } from './transport.ts'
import type { AnyObject, ObjectTypes } from './values.ts'
import type { Filter } from './where.ts'

export interface Selected<O extends ObjectTypes> extends Wishes {
  /** Fields to answer; Id always is. */
  readonly fields?: readonly (keyof O['Record'] & string)[]
  /** Lookups to answer as whole records. */
  readonly expand?: readonly O['Lookups'][]
}

export interface GetQuery<O extends ObjectTypes> extends Selected<O> {
  /** A version, or a moment: a day, a timestamp. */
  readonly asOf?: number | string
}

export interface ListQuery<O extends ObjectTypes> extends Selected<O> {
  readonly filter?: Filter | string
  readonly search?: string
  /** Names of fields; a leading `-` means descending. */
  readonly sort?: string | readonly string[]
}

export interface PageQuery<O extends ObjectTypes> extends ListQuery<O> {
  readonly page?: number
  readonly pageSize?: number
  readonly asOf?: string
}

export interface ExportQuery<O extends ObjectTypes> extends Omit<ListQuery<O>, 'expand'> {
  /** `csv` by default. */
  readonly format?: 'csv' | 'xlsx'
  /** A moment; `now` keeps the list as it is when the export begins. */
  readonly asOf?: string
}

export interface AllQuery<O extends ObjectTypes> extends ListQuery<O> {
  /** A moment of the past. By itself the present, as it is when the first page is read. */
  readonly asOf?: string
  /** Each page as it is when it is read: for those who are not granted `audit`. What others write may shift the pages. */
  readonly live?: boolean
}

export interface RecordWishes extends WriteWishes {
  /** The write is judged in full and nothing is stored: the answer is the record as it would be, without what is assigned. */
  readonly dryRun?: boolean | undefined
}

export interface Versioned extends RecordWishes {
  /** ETag of the version that the change is meant for. */
  readonly ifMatch?: string | undefined
}

export interface Written<R> {
  readonly record: R
  /** Its version, for `ifMatch`. */
  readonly etag: string
}

export interface Deleted {
  readonly Id: string
  readonly IsDeleted: true
}

export interface HistoryEntry {
  readonly Version: number
  readonly Event: string
  readonly At: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Reason: string | null
  readonly Changes: { readonly [field: string]: { readonly From: unknown; readonly To: unknown } }
}

/** What became of a message about the record. */
export interface HistoryMessage extends Omit<HistoryEntry, 'Version'> {
  readonly Version: null
  readonly Message: {
    readonly Id: string
    readonly Trigger: string
    readonly Recipient: string
    readonly Template: string
    readonly TemplateVersion: number
    readonly MessageId: string | null
  }
}

export interface Changes<R> {
  readonly changes: readonly (R | Deleted)[]
  /** Where to go on: keep it once the changes have been dealt with. */
  readonly next: string
}

export type BatchRow =
  | { readonly Index: number; readonly Status: number; readonly Id: string }
  | {
      readonly Index: number
      readonly Status: number
      readonly Error: { readonly Code: string; readonly Message: string }
    }

export interface WorkflowState {
  readonly State: string | null
  readonly Actions: readonly {
    readonly Action: string
    readonly From: string | null
    readonly To: string
    readonly Event: string
    readonly RequiresComment: boolean
  }[]
  readonly History: readonly {
    readonly Action: string | null
    readonly Event: string
    readonly From: string | null
    readonly To: string | null
    readonly At: string
    readonly By: { readonly Id: string; readonly Name: string }
    readonly Comment: string | null
  }[]
}

/** A record that waits for the caller. */
export interface WaitingRecord {
  readonly Object: string
  readonly Record: { readonly Id: string; readonly [field: string]: unknown }
  readonly State: string
  readonly Since: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Comment: string | null
  readonly Actions: WorkflowState['Actions']
}

interface Success<T> {
  readonly Data: T
}

export class Records<O extends ObjectTypes = AnyObject> {
  readonly #transport: Transport
  readonly #path: string

  constructor(transport: Transport, object: string) {
    this.#transport = transport
    this.#path = encodeURIComponent(object)
  }

  /** @throws Invalid, Conflict (a duplicate), Forbidden */
  async create(fields: O['Create'], wishes: RecordWishes = {}): Promise<Written<O['Record']>> {
    return this.#record({ method: 'POST', path: this.#path, body: fields, ...wishes })
  }

  /** @throws NotFound */
  async get(
    key: string,
    { fields, expand, asOf, ...wishes }: GetQuery<O> = {},
  ): Promise<Written<O['Record']>> {
    const query = { fields, expand, asOf }
    return this.#record({ method: 'GET', path: this.#of(key), query, kind: 'seen', ...wishes })
  }

  /** Changes the fields that are sent; parts of money and JSON values are merged, null clears. @throws Conflict */
  async update(key: string, changes: O['Change'], wishes: Versioned = {}): Promise<Written<O['Record']>> {
    return this.#record({ method: 'PATCH', path: this.#of(key), body: changes, ...wishes })
  }

  /** As `update`, but money and JSON values are replaced whole. */
  async replace(key: string, changes: O['Change'], wishes: Versioned = {}): Promise<Written<O['Record']>> {
    return this.#record({ method: 'PUT', path: this.#of(key), body: changes, ...wishes })
  }

  /** Creates the record that has this unique value, or changes the one that has it. */
  async upsert(
    field: O['Unique'],
    value: string | number,
    fields: O['Change'],
    wishes: Versioned = {},
  ): Promise<Written<O['Record']>> {
    const path = `${this.#path}/by/${encodeURIComponent(field)}/${encodeURIComponent(value)}`
    return this.#record({ method: 'PUT', path, body: fields, ...wishes })
  }

  /** @throws Conflict while other records look it up */
  async delete(key: string, wishes: Versioned = {}): Promise<Deleted> {
    const call = { method: 'DELETE', path: this.#of(key), ...wishes } as const
    return (await this.#transport.json<Success<Deleted>>(call)).body.Data
  }

  async restore(key: string, wishes: Versioned = {}): Promise<Written<O['Record']>> {
    return this.#record({ method: 'POST', path: this.#of(key, 'restore'), ...wishes })
  }

  /** Up to 500 new records; each stands alone. */
  async batch(
    records: readonly O['Create'][],
    { allowPastDates, ...wishes }: RecordWishes & { readonly allowPastDates?: boolean } = {},
  ): Promise<readonly BatchRow[]> {
    const body = { Records: records, ...(allowPastDates && { AllowPastDates: true }) }
    const call = { method: 'POST', path: `${this.#path}/batch`, body, ...wishes } as const
    return (await this.#transport.json<Success<readonly BatchRow[]>>(call)).body.Data
  }

  /** Takes a workflow action. @throws Forbidden, Conflict (another state) */
  async act(
    key: string,
    action: O['Actions'],
    { Comment, ...wishes }: Versioned & { readonly Comment?: string } = {},
  ): Promise<Written<O['Record']>> {
    const path = this.#of(key, 'workflow', action)
    return this.#record({ method: 'POST', path, body: Comment === undefined ? {} : { Comment }, ...wishes })
  }

  /** The state, the actions that the caller could take now, and how the record got there. */
  async workflow(key: string, wishes: Wishes = {}): Promise<WorkflowState> {
    const call = { method: 'GET', path: this.#of(key, 'workflow'), ...wishes } as const
    return (await this.#transport.json<Success<WorkflowState>>(call)).body.Data
  }

  /** One page, as it is now, or at `asOf`. */
  async page(query: PageQuery<O> = {}): Promise<Page<O['Record']>> {
    const { page, pageSize, asOf, signal, timeoutMs, retries } = query
    const call = { method: 'GET', path: this.#path, kind: 'seen', signal, timeoutMs, retries } as const
    const asked = { ...listQuery(query), page, pageSize, asOf }
    return (await this.#transport.json<Page<O['Record']>>({ ...call, query: asked })).body
  }

  /** All records of the list, as they are at one moment (`listing.ts`). Needs `audit`, unless `live`. */
  list(query: AllQuery<O> = {}): Listing<O['Record']> {
    const { signal, timeoutMs, retries, live = false, asOf = live ? undefined : 'now' } = query
    const wishes = { signal, timeoutMs, retries }
    return new Listing({
      transport: this.#transport,
      path: this.#path,
      query: listQuery(query),
      wishes,
      asOf,
      waits: true,
    })
  }

  /** The list as a file, up to 100,000 records; its body is a stream. Needs the grant `export`. */
  async export(query: ExportQuery<O> = {}): Promise<Response> {
    const { format, asOf, signal, timeoutMs, retries } = query
    const asked = { ...listQuery(query), format, asOf }
    const call = { method: 'GET', path: `${this.#path}/export`, kind: 'seen', query: asked } as const
    return this.#transport.raw({ ...call, signal, timeoutMs, retries })
  }

  /** What happened to the record, oldest first; with `include: 'messages'` also the messages that were sent about it. */
  history(
    key: string,
    wishes: Wishes & { readonly include: 'messages' },
  ): Listing<HistoryEntry | HistoryMessage>
  history(key: string, wishes?: Wishes): Listing<HistoryEntry>
  history(
    key: string,
    { include, ...wishes }: Wishes & { readonly include?: 'messages' } = {},
  ): Listing<HistoryEntry | HistoryMessage> {
    const path = this.#of(key, 'history')
    const query = include === undefined ? {} : { include }
    return new Listing({ transport: this.#transport, path, query, wishes, asOf: undefined })
  }

  /**
   * What has changed since, in batches, until there is no more; each record once, as it is now.
   * @param since `next` of a batch; `'now'`: only the place to go on from; by itself everything
   */
  async *changes({
    since,
    pageSize = 100,
    ...wishes
  }: Wishes & { readonly since?: string; readonly pageSize?: number } = {}): AsyncGenerator<
    Changes<O['Record']>
  > {
    for (let from = since; ;) {
      const call = { method: 'GET', path: `${this.#path}/changes`, query: { since: from, pageSize } } as const
      const { body } = await this.#transport.json<
        Success<readonly O['Record'][]> & { Next: string; HasMore: boolean }
      >({ ...call, ...wishes })
      yield { changes: body.Data, next: body.Next }
      if (!body.HasMore) return
      from = body.Next
    }
  }

  #of(...parts: readonly string[]): string {
    return [this.#path, ...parts.map(encodeURIComponent)].join('/')
  }

  async #record(call: Parameters<Transport['json']>[0]): Promise<Written<O['Record']>> {
    const { body, headers } = await this.#transport.json<Success<O['Record']>>(call)
    return { record: body.Data, etag: headers.get('ETag') ?? '' }
  }
}

function listQuery<O extends ObjectTypes>({ filter, search, sort, fields, expand }: ListQuery<O>): Query {
  return { filter: filter === undefined ? undefined : String(filter), search, sort, fields, expand }
}
