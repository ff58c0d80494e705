/** Files that become records: sent, mapped, checked, committed, undone. */
import { ask } from './areas.ts'
import { ImportProfiles, ImportSchedules } from './kept-imports.ts'
import { Listing } from './listing.ts'
import type { Call, Transport, Wishes, WriteWishes } from './transport.ts'
import type { AnyFields } from './values.ts'

export type ImportState =
  | 'Reading'
  | 'NeedsMapping'
  | 'Checked'
  | 'Running'
  | 'Completed'
  | 'CompletedWithErrors'
  | 'Cancelled'
  | 'Failed'
  | 'Undoing'
  | 'Undone'
  | 'PartlyUndone'

export interface Import {
  readonly Id: string
  readonly Kind: string
  readonly Object: string
  readonly State: ImportState
  readonly Counts: {
    readonly Rows: number
    readonly Done: number
    readonly Created: number
    readonly Updated: number
    readonly Unchanged: number
    readonly Skipped: number
    readonly Failed: number
    readonly [count: string]: number
  }
  /** What a commit would do; null until it is checked. */
  readonly Check: { readonly [count: string]: number } | null
  /** What has to be decided before it can be checked. */
  readonly Questions: readonly { readonly Field: string | null; readonly Question: string }[]
  readonly Columns: readonly string[]
  readonly Mapping: AnyFields | null
  readonly Options: { readonly Commit?: boolean; readonly [option: string]: unknown }
  readonly Reason: string | null
  readonly [field: string]: unknown
}

export interface CommitOptions {
  readonly OnError?: 'continue' | 'stop' | 'nothing'
  readonly MaxErrors?: number
}

export interface UploadOptions extends CommitOptions {
  readonly Mode?: 'create' | 'update' | 'upsert'
  /** Committed as soon as it is checked. */
  readonly Commit?: boolean
  readonly FileName?: string
  /** Takes content that was imported before. */
  readonly Again?: boolean
  readonly AllowPastDates?: boolean
  /** The Key of a profile, or a mapping. */
  readonly Profile?: string
  readonly Mapping?: AnyFields
}

export interface ImportRow {
  readonly Row: number
  readonly Outcome: string
  readonly Id: string | null
  readonly Message: string | null
  readonly Cells: { readonly [column: string]: string | null }
  readonly [field: string]: unknown
}

/** A large file takes its time to arrive. */
const UPLOAD_MS = 600_000
/** Seconds that the service keeps an answer back until something has changed. */
const WAIT_SECONDS = 20

export class Imports {
  readonly #transport: Transport
  /** Mappings with names. */
  readonly profiles: ImportProfiles
  /** Files that are picked up in their time. */
  readonly schedules: ImportSchedules

  constructor(transport: Transport) {
    this.#transport = transport
    this.profiles = new ImportProfiles(transport, 'import-profiles')
    this.schedules = new ImportSchedules(transport, 'import-schedules')
  }

  /**
   * Sends a file; what it is is found out by what it holds. In Node, `openAsBlob(path)` is one that is not held in memory.
   * @throws Conflict for content that was imported before
   */
  upload(
    object: string,
    file: string | Uint8Array<ArrayBuffer> | Blob,
    options: UploadOptions = {},
    wishes: WriteWishes = {},
  ): Promise<Import> {
    const form = new FormData()
    form.append('options', JSON.stringify(options))
    form.append('file', file instanceof Blob ? file : new Blob([file]), options.FileName ?? 'file')
    const path = `${encodeURIComponent(object)}/import`
    const call = { method: 'POST', path, raw: { body: form }, timeoutMs: UPLOAD_MS } as const
    return ask(this.#transport, { ...call, ...wishes })
  }

  list(query: { readonly filter?: string; readonly sort?: string } & Wishes = {}): Listing<Import> {
    const { filter, sort, ...wishes } = query
    return this.#listing('imports', { filter, sort }, wishes)
  }

  get(key: string, wishes: Wishes = {}): Promise<Import> {
    return ask(this.#transport, { method: 'GET', path: pathOf(key), ...wishes })
  }

  /** The import once there is nothing left that it does by itself: it is done, failed, checked, or asks something. */
  async finished(key: string, wishes: Wishes = {}): Promise<Import> {
    const query = { wait: WAIT_SECONDS }
    for (;;) {
      const call = { method: 'GET', path: pathOf(key), query, ...wishes } as const
      const found = await ask<Import>(this.#transport, call)
      if (!isUnderWay(found)) return found
    }
  }

  /** The first rows beside what they would become. */
  preview(key: string, { rows, ...wishes }: { readonly rows?: number } & Wishes = {}): Promise<AnyFields> {
    return ask(this.#transport, { method: 'GET', path: pathOf(key, 'preview'), query: { rows }, ...wishes })
  }

  /** Mappings that fit the columns. */
  suggestions(key: string, wishes: Wishes = {}): Promise<readonly AnyFields[]> {
    return ask(this.#transport, { method: 'GET', path: pathOf(key, 'suggestions'), ...wishes })
  }

  /** Says which column goes where, or `{ Profile }`; the rows are checked again. */
  map(key: string, mapping: AnyFields, wishes: WriteWishes = {}): Promise<Import> {
    return this.#do(key, 'mapping', mapping, wishes, 'PUT')
  }

  /** Checks the rows again, after something has changed. */
  check(key: string, wishes: WriteWishes = {}): Promise<Import> {
    return this.#do(key, 'check', undefined, wishes)
  }

  /** @throws Conflict unless it is checked */
  commit(key: string, options: CommitOptions = {}, wishes: WriteWishes = {}): Promise<Import> {
    return this.#do(key, 'commit', options, wishes)
  }

  /** What is done stays. */
  cancel(key: string, wishes: WriteWishes = {}): Promise<Import> {
    return this.#do(key, 'cancel', undefined, wishes)
  }

  /** Tries refused rows again. */
  retry(key: string, wishes: WriteWishes = {}): Promise<Import> {
    return this.#do(key, 'retry', undefined, wishes)
  }

  /** The undo, an import of its own: it is checked and committed in its turn, at once with `Commit`. */
  undo(
    key: string,
    options: { readonly Conflicts?: 'keep' | 'fields' | 'force'; readonly Commit?: boolean } = {},
    wishes: WriteWishes = {},
  ): Promise<Import> {
    return this.#do(key, 'undo', options, wishes)
  }

  /** Rows with what became of them. */
  rows(key: string, { outcome, ...wishes }: { readonly outcome?: string } & Wishes = {}): Listing<ImportRow> {
    return this.#listing(pathOf(key, 'rows'), { outcome }, wishes)
  }

  /** The refused rows, to correct and send back. */
  errors(key: string, format: 'csv' | 'xlsx' = 'csv', wishes: Wishes = {}): Promise<Response> {
    return this.#transport.raw({ method: 'GET', path: pathOf(key, `errors.${format}`), ...wishes })
  }

  /** What became of all rows. */
  results(key: string, format: 'csv' | 'xlsx' = 'csv', wishes: Wishes = {}): Promise<Response> {
    return this.#transport.raw({ method: 'GET', path: pathOf(key, `results.${format}`), ...wishes })
  }

  /** A file to fill in. */
  template(object: string, format: 'csv' | 'xlsx' = 'csv', wishes: Wishes = {}): Promise<Response> {
    const path = `${encodeURIComponent(object)}/import/template.${format}`
    return this.#transport.raw({ method: 'GET', path, ...wishes })
  }

  #listing<T>(path: string, query: NonNullable<Call['query']>, wishes: Wishes): Listing<T> {
    return new Listing({ transport: this.#transport, path, query, wishes, asOf: undefined })
  }

  #do(
    key: string,
    action: string,
    body: unknown,
    wishes: WriteWishes,
    method: 'POST' | 'PUT' = 'POST',
  ): Promise<Import> {
    return ask(this.#transport, { method, path: pathOf(key, action), body, ...wishes })
  }
}

const pathOf = (...parts: readonly string[]) => ['imports', ...parts.map(encodeURIComponent)].join('/')

function isUnderWay({ State, Options }: Import): boolean {
  if (State === 'Checked') return Options.Commit === true
  return State === 'Reading' || State === 'Running' || State === 'Undoing'
}
