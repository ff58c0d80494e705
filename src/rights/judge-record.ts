/**
 * The judge of rights for one record: whether it fulfils a row filter, and what of a grant applies to it. A filter may
 * look along lookups; where those records come from (streams, read models, the past) is the caller's choice.
 *
 * Lists are not judged record by record: `view.ts` adds the row filters to the query.
 */
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import type { Company } from '../domain/events/event.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { matches } from '../domain/filter/evaluate.ts'
import type { Grant } from '../domain/grant.ts'
import type { Fields, Json } from '../domain/json.ts'
import { recordDocument } from '../domain/records/document.ts'
import type { RecordState } from '../domain/records/record.ts'

/** Resolves to a live record as it is served; undefined when it does not exist. */
export type LookUp = (object: string, key: string) => Promise<Fields | undefined>

/** Judges one record. Each record that its filters lead to is looked up once. */
export class RecordJudge {
  readonly #record: () => Promise<Fields>
  readonly #lookUp: LookUp
  #known: Map<string, Fields | undefined> | undefined
  #made: Fields | undefined

  /** @param record makes the record as it is served; called only when a filter has to be judged */
  constructor(record: () => Promise<Fields>, lookUp: LookUp) {
    this.#record = record
    this.#lookUp = lookUp
  }

  async fulfils(filter: Filter): Promise<boolean> {
    const record = (this.#made ??= await this.#record())
    const known = (this.#known ??= new Map<string, Fields | undefined>())
    // Repeated until nothing is missing: each turn knows one more step of the longest path.
    for (;;) {
      const missing = new Map<string, string>()
      const verdict = matches(filter, record, (object, key) => {
        if (!known.has(key)) missing.set(key, object)
        return known.get(key)
      })
      if (missing.size === 0) return verdict
      await Promise.all(
        [...missing].map(async ([key, object]) => known.set(key, await this.#lookUp(object, key))),
      )
    }
  }

  /** The part of the grant that applies to the record; undefined: none of it, the record does not exist for the caller. */
  async grantOn(grant: Grant | undefined): Promise<Grant | undefined> {
    if (!grant?.shares) return grant
    const shares = []
    for (const share of grant.shares) if (!share.rows || (await this.fulfils(share.rows))) shares.push(share)
    return shares.length > 0 ? { shares } : undefined
  }
}

export interface JudgeRecord {
  readonly definitions: Definitions
  readonly states: { load(company: Company, key: string): Promise<RecordState> }
}

export interface Judged {
  readonly company: Company
  readonly definition: ObjectDefinition
  readonly key: string
  readonly state: RecordState
}

/** The judge of a record by streams: it never lags behind a write. */
export function judgeOf({ definitions, states }: JudgeRecord, judged: Judged): RecordJudge {
  return judgeOfState(definitions, judged, (key) => states.load(judged.company, key))
}

/**
 * The judge of a record in a state, past or present.
 * @param stateOf the state, at the same time, of a record that is looked up
 */
export function judgeOfState(
  definitions: Definitions,
  { definition, key, state }: Omit<Judged, 'company'>,
  stateOf: (key: string) => Promise<RecordState>,
): RecordJudge {
  const stateNamed = async (looked: string) => (looked === key ? state : stateOf(looked))
  const documentOf = async (of: ObjectDefinition, named: string, { fields, ...times }: RecordState) => {
    const displays = new Map<string, Json>()
    // As in read models, a deleted record still shows its display field.
    const loadDisplay = async (object: string, looked: string) => {
      const target = definitions.get(object)
      displays.set(looked, (target && (await stateNamed(looked)).fields[target.display]) ?? null)
    }
    await Promise.all(
      of.fields.map(async ({ name, type, target = '' }) => {
        const looked = type === 'lookup' ? fields[name] : undefined
        if (typeof looked === 'string') await loadDisplay(target, looked)
      }),
    )
    const displayOf = (_object: string, looked: string) => displays.get(looked) ?? null
    return recordDocument({ definition: of, definitions, key: named, fields, ...times, displayOf })
  }
  return new RecordJudge(
    () => documentOf(definition, key, state),
    async (object, looked) => {
      const target = definitions.get(object)
      const found = target && (await stateNamed(looked))
      return found?.status === 'live' ? documentOf(target!, looked, found) : undefined
    },
  )
}
