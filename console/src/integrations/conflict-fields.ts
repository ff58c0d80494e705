/** What a conflict is about. */
import type { ConflictMessage } from '../api/integration-syncs.ts'

/** The fields in conflict, each once. */
export function namesOf(records: ConflictMessage['Records']): readonly string[] {
  return [...new Set(records.flatMap(({ Fields }) => Fields.map(({ Field }) => Field)))]
}
