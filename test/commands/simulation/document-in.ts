/** What a record looks like at a moment of a story, by the states of all records then. */
import { recordDocument } from '../../../src/domain/records/document.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { objectOfKey } from '../../../src/domain/records/key.ts'
import type { RecordState } from '../../../src/domain/records/record.ts'
import { definition, definitions } from '../../support/write-side.ts'

export function documentIn(states: ReadonlyMap<string, RecordState>, key: string): Fields {
  const { fields, createdAt, modifiedAt } = states.get(key)!
  const displayOf = (object: string, looked: string) =>
    states.get(looked)?.fields[definition(object).display] ?? null
  const of = definition(objectOfKey(key)!)
  return recordDocument({ definition: of, definitions, key, fields, createdAt, modifiedAt, displayOf })
}
