/**
 * Read models in memory, for tests of what is built on them: they keep the promises of `ports/projection-store.ts` and
 * `ports/read-models.ts` as far as a simulation needs them (their order is that of creation). Shared by several processes.
 */
import type { Definitions } from '../../src/domain/definition.ts'
import { recordDocument } from '../../src/domain/records/document.ts'
import type { Company, Position } from '../../src/domain/events/event.ts'
import { matches } from '../../src/domain/filter/evaluate.ts'
import type { Fields, Json } from '../../src/domain/json.ts'
import { mergeFields } from '../../src/domain/records/record.ts'
import { hasWords, searchedText } from '../../src/domain/search/searched-text.ts'
import type { Operation, ProjectionStore } from '../../src/ports/projection-store.ts'
import type { ReadModels } from '../../src/ports/read-models.ts'

interface Row {
  readonly company: Company
  readonly object: string
  readonly key: string
  version: number
  fields: Fields
  createdAt: string
  modifiedAt: string
  isLive: boolean
  document: Fields
  /** What it is found by; undefined until it was indexed. */
  text?: string
}

export interface MemoryReadSide extends Pick<ReadModels, 'get' | 'list'> {
  readonly store: ProjectionStore
  position(projection: string): Position
  /** Shows one changed name to all who look it up; false when there is none left. */
  fanOutOne(): boolean
  /** Every live record of the company with the text that it is found by, by Key. */
  copy(company: Company): ReadonlyMap<string, { readonly json: string; readonly text: string | undefined }>
}

export function memoryReadSide(definitions: Definitions): MemoryReadSide {
  const rows = new Map<string, Row>()
  const positions = new Map<string, Position>()
  const renamed = new Set<string>()

  const documentOf = ({ object, key, fields, createdAt, modifiedAt }: Row) =>
    recordDocument({
      ...{ definition: definitions.get(object)!, definitions, key, fields, createdAt, modifiedAt },
      displayOf: (target: string, looked: string): Json =>
        rows.get(looked)?.fields[definitions.get(target)!.display] ?? null,
    })
  const rowOf = (operation: Operation): Row => {
    const row = rows.get(operation.key)
    if (row?.company !== operation.company)
      throw new Error(`${operation.op} of ${operation.key}, which is not there`)
    return row
  }
  const change = (operation: Operation, to: Partial<Row>) => {
    const row = Object.assign(rowOf(operation), to)
    row.document = documentOf(row)
  }
  const index = (row: Row) => (row.text = searchedText(definitions.get(row.object)!, row.document))

  const perform = (operation: Operation) => {
    switch (operation.op) {
      case 'put': {
        const row: Row = { ...operation, isLive: true, document: {} }
        row.document = documentOf(row)
        return rows.set(operation.key, row)
      }
      case 'merge': {
        const { version, modifiedAt } = operation
        return change(operation, {
          version,
          modifiedAt,
          fields: mergeFields(rowOf(operation).fields, operation.fields),
        })
      }
      case 'remove':
        return change(operation, { version: operation.version, isLive: false })
      case 'restore':
        return change(operation, {
          version: operation.version,
          modifiedAt: operation.modifiedAt,
          isLive: true,
        })
      case 'fanOut':
        return renamed.add(operation.key)
      case 'index':
        return
    }
  }

  const live = (company: Company, object: string) =>
    [...rows.values()].filter((row) => row.company === company && row.object === object && row.isLive)
  const stored = ({ key, version, document }: Row) => ({ key, version, json: JSON.stringify(document) })

  const fanOutOne = () => {
    const [key] = renamed
    if (key === undefined) return false
    renamed.delete(key)
    for (const row of rows.values()) {
      if (!Object.values(row.fields).includes(key)) continue
      row.document = documentOf(row)
      if (row.text !== undefined) index(row)
    }
    return true
  }

  return {
    store: {
      position: async (projection) => positions.get(projection) ?? 0,
      async apply(work, upTo) {
        const all = work.flatMap(({ projection, steps }) => {
          const from = positions.get(projection) ?? 0
          const fresh = new Map(steps.map((step) => [step.position, step]))
          return [...fresh.values()].filter(({ position }) => position > from)
        })
        const operations = all.flatMap((step) => step.operations)
        for (const operation of operations) perform(operation)
        for (const operation of operations) if (operation.op === 'index') index(rowOf(operation))
        for (const { projection } of work)
          positions.set(projection, Math.max(upTo, positions.get(projection) ?? 0))
      },
      async settled() {
        while (fanOutOne());
      },
      close: async () => {},
    },
    position: (projection) => positions.get(projection) ?? 0,
    fanOutOne,
    async get(company, object, key) {
      const row = live(company, object).find((one) => one.key === key)
      return row && stored(row)
    },
    async list(company, { object, filter, words = [], offset, limit }) {
      const resolve = (_object: string, key: string) => {
        const row = rows.get(key)
        return row?.isLive ? row.document : undefined
      }
      const found = live(company, object)
        .filter(({ document }) => !filter || matches(filter, document, resolve))
        .filter(({ text = '' }) => hasWords(text, words))
      return { records: found.slice(offset, offset + limit).map(stored), total: found.length }
    },
    copy: (company) =>
      new Map(
        [...rows.values()]
          .filter((row) => row.company === company && row.isLive)
          .map(({ key, document, text }) => [key, { json: JSON.stringify(document), text }]),
      ),
  }
}
