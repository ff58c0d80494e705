/**
 * What a message means for an append-only object: its rows are created together, as packs. A message that is applied again finds
 * the rows that it has made before by the id of its command.
 */
import type { Caller } from '../../commands/command.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import { Forbidden, Refused } from '../../domain/errors.ts'
import { PACK_ROWS } from '../../domain/events/packs.ts'
import type { Fields } from '../../domain/json.ts'
import type { Access } from '../../rights/access.ts'
import type { Integration } from '../integration.ts'
import type { Change } from '../mapping/plan.ts'
import { Unmappable } from '../mapping/unmappable.ts'
import type { IntegrationWork } from '../work.ts'
import { fieldsOf, type Found } from './look-up.ts'
import type { ChangeResult } from './results.ts'

export interface RowsToApply {
  readonly integration: Integration
  readonly access: Access
  /** Without what it is granted; its command is that of the message. */
  readonly caller: Caller
  /** Of one object. */
  readonly changes: readonly Change[]
}

/** How many reasons are kept of a message: most faults are the same in every row. */
const MOST_REASONS = 20

/** One result for all rows that were made, and one for each reason why others were not. */
export async function applyRows(work: IntegrationWork, given: RowsToApply): Promise<readonly ChangeResult[]> {
  const { integration, access, caller, changes } = given
  const { object } = changes[0]!.rule
  const definition = work.definitions.get(object)!
  const grant = access.grant(object, 'create')
  if (!grant) throw new Forbidden(`create ${object} is not granted to the role ${integration.runAs}`)
  const found: Found = new Map()
  const reasons = new Map<string, number>()
  const refuse = (reason: string) => void reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  let created = 0
  for (let start = 0; start < changes.length; start += PACK_ROWS) {
    const bodies: (Fields | null)[] = []
    for (const change of changes.slice(start, start + PACK_ROWS))
      bodies.push(
        await fieldsOf(work, integration.company, access, change, found).then(
          ({ fields }) => fields,
          (error: unknown) => {
            if (!(error instanceof Unmappable)) throw error
            refuse(error.message)
            return null
          },
        ),
      )
    const command = derivedId(`${caller.command}/rows/${start}`)
    const rows = await work.write.createRows(
      { ...caller, command, grant },
      { definition, bodies, importing: true },
    )
    for (const [index, row] of rows.entries())
      if (!(row instanceof Refused)) created++
      else if (bodies[index] !== null) refuse(wordsOf(row))
  }
  return resultsOf(object, created, reasons)
}

const wordsOf = ({ message, faults: [fault] }: Refused): string =>
  fault && fault.Field !== '' ? `${fault.Field} ${fault.Message}` : message

function resultsOf(
  object: string,
  created: number,
  reasons: ReadonlyMap<string, number>,
): readonly ChangeResult[] {
  const rows = (count: number) => (count === 1 ? '1 row' : `${count} rows`)
  const refused = [...reasons].slice(0, MOST_REASONS).map(([reason, count]): ChangeResult => ({
    Object: object,
    Did: 'rejected',
    Record: null,
    Reason: `${rows(count)}: ${reason}`,
  }))
  const made: ChangeResult = { Object: object, Did: 'created', Record: null, Reason: rows(created) }
  return created > 0 ? [made, ...refused] : refused
}
