/** Read models that lag behind the events, as those of a simulation do. */
import { expect } from 'chai'
import { recordDocument } from '../../../src/domain/document.ts'
import { objectOfKey } from '../../../src/domain/key.ts'
import { absent, evolve, type RecordState } from '../../../src/domain/record.ts'
import type { ReadModels } from '../../../src/ports/read-models.ts'
import { matches } from '../../../src/domain/filter/evaluate.ts'
import type { MemoryLog } from '../../support/memory-event-store.ts'
import { COMPANY, definition, definitions } from '../../support/write-side.ts'

/** Read models that show the log up to where someone waited for them; `catchesUp` says whether the waiting succeeds. */
export function laggingReadModels(log: MemoryLog, catchesUp: () => Promise<boolean>): ReadModels {
  const states = new Map<string, RecordState>()
  let shown = 0
  const show = (position: number) => {
    for (const event of log.all(shown).slice(0, Math.max(0, position - shown)))
      if (objectOfKey(event.stream) !== undefined)
        states.set(event.stream, evolve(states.get(event.stream) ?? absent, event))
    shown = Math.max(shown, position)
  }
  const documents = (object: string) =>
    [...states].flatMap(([key, { status, fields, version, createdAt, modifiedAt }]) => {
      if (status !== 'live' || objectOfKey(key) !== object) return []
      const of = { definition: definition(object), definitions, key, fields, createdAt, modifiedAt }
      const document = recordDocument({ ...of, displayOf: () => null })
      return [{ key, version, document, json: JSON.stringify(document) }]
    })
  return {
    get: async (_company, object, wanted) => documents(object).find(({ key }) => key === wanted),
    async list(company, { object, filter, limit }) {
      expect(company).to.equal(COMPANY)
      const found = documents(object).filter(
        ({ document }) => !filter || matches(filter, document, () => undefined),
      )
      return { records: found.slice(0, limit), total: found.length }
    },
    async reached(position) {
      if (!(await catchesUp())) return false
      show(position)
      return true
    },
    status: async () => [],
    close: async () => {},
  }
}
