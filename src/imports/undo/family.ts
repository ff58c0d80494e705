/** Which events belong to an import: its own, and those of undoing it, of undoing that, and so on. */
import type { Company, RecordedEvent } from '../../domain/events/event.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { Import } from '../import.ts'
import { IMPORT } from '../objects.ts'

/** How often undoing may have been undone: no more is looked up than that. */
const MOST = 100

/** The import that an event comes from. */
function importOfSource(source: string): string | undefined {
  const key = source.startsWith('import:') ? source.slice('import:'.length).split('#')[0]! : ''
  return isKeyOf(IMPORT, key) ? key : undefined
}

export interface Family {
  /** Looks up what is not known yet; to be awaited before `has`. */
  meet(events: readonly RecordedEvent[]): Promise<void>
  has(event: RecordedEvent): boolean
}

/** @param load an import of the company */
export function familyOf(
  { key, company }: Pick<Import, 'key' | 'company'>,
  load: (company: Company, key: string) => Promise<Import | undefined>,
): Family {
  /** By import: the import of a file at which its undoing begins. */
  const roots = new Map<string, string>()
  const meet = async (of: string): Promise<void> => {
    let root = of
    for (let steps = 0; steps < MOST; steps++) {
      const undoes = (await load(company, root))?.undoes
      if (undoes === undefined) break
      root = undoes
    }
    roots.set(of, root)
  }
  return {
    async meet(events) {
      if (!roots.has(key)) await meet(key)
      for (const { metadata } of events) {
        const of = importOfSource(metadata.source)
        if (of !== undefined && !roots.has(of)) await meet(of)
      }
    },
    has({ metadata }) {
      const of = importOfSource(metadata.source)
      return of !== undefined && roots.get(of) === roots.get(key)
    },
  }
}
