/**
 * One change of one record that a message means. Whatever is late or comes again changes nothing: a link knows when what was
 * last applied happened there, a guard judges the record as it is, and a command that was done is known by its id.
 *
 * The link is changed before the record: of two processes that apply messages of one record, one finds that the link, or the
 * record, is not as it was, and looks again.
 */
import type { Caller } from '../../commands/command.ts'
import { derivedId, derivedKey } from '../../commands/support/identifiers.ts'
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import { Conflict, Forbidden, PreconditionFailed, Unavailable } from '../../domain/errors.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { Fields } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Access, Action } from '../../rights/access.ts'
import { judgeOf } from '../../rights/judge-record.ts'
import type { Integration } from '../integration.ts'
import { disputeOf, noteTaken, whatToTake, type TakingOver } from '../send/take-over.ts'
import type { Link } from '../links.ts'
import type { Change } from '../mapping/plan.ts'
import type { IntegrationWork } from '../work.ts'
import { fieldsOf, type FieldsFound } from './look-up.ts'
import type { ChangeResult } from './results.ts'

/** What a change is applied by. */
export interface Applying {
  readonly integration: Integration
  readonly access: Access
  /** When it happened there. */
  readonly at: string | undefined
  /** Without what it is granted; its command is of this change alone. */
  readonly caller: Caller
}

interface Attempt extends Applying {
  readonly definition: ObjectDefinition
  readonly change: Change
  readonly fields: Fields
  /** Why lookups found nothing, by field. */
  readonly missing: FieldsFound['missing']
  readonly link: Link
}

/** Another was faster: look again. */
const AGAIN = 'again'
const ATTEMPTS = 8

/** @throws Unavailable when it cannot be done now; Invalid, Forbidden, Conflict, Unmappable and the like when it cannot be done */
export async function applyChange(
  work: IntegrationWork,
  applying: Applying,
  change: Change,
): Promise<ChangeResult> {
  const { integration, access } = applying
  const { company } = integration
  const { object } = change.rule
  const definition = work.definitions.get(object)!
  const externalId = change.link ?? change.by!.value
  const subject = subjectOf(change)
  const { fields, missing } = await fieldsOf(work, company, access, change)
  const name = { integration: integration.key, object, externalId }
  return work.locks.holding([{ key: `${integration.key} ${subject}`, shared: false }], async () => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const link = await work.links.load(company, name)
      const result = await attemptChange(work, { ...applying, definition, change, fields, missing, link })
      if (result !== AGAIN) return { Object: object, ...result }
    }
    throw new Unavailable(`${subject} is being changed by others`)
  })
}

/** What a change is about: messages about the same are applied one after the other. */
export const subjectOf = ({ rule, link, by }: Change): string => `${rule.object} ${link ?? by!.value}`

type Attempted = Omit<ChangeResult, 'Object'> | typeof AGAIN

async function attemptChange(work: IntegrationWork, attempt: Attempt): Promise<Attempted> {
  const { link, at, caller, change, definition } = attempt
  if (at !== undefined && link.sourceAt !== undefined && at < link.sourceAt)
    return {
      Did: 'ignored',
      Record: link.record ?? null,
      Reason: `it is of ${at}, older than what was applied: ${link.sourceAt}`,
    }
  const { company } = caller
  const linked = link.record === undefined ? undefined : await work.states.load(company, link.record)
  const { by } = change
  const field = by && fieldOf(definition, by.field)
  const key =
    linked?.status === 'live'
      ? link.record
      : field && (await work.ownerOf(company, definition, { field, value: by.value }))
  if (key !== undefined) return changeRecord(work, attempt, key)
  if (linked?.status === 'deleted')
    return { Did: 'ignored', Record: link.record!, Reason: `${link.record} was deleted here` }
  if (!change.rule.create)
    return { Did: 'waiting', Record: null, Reason: `there is no ${subjectOf(change)} yet` }
  return makeRecord(work, attempt)
}

async function makeRecord(work: IntegrationWork, attempt: Attempt): Promise<Attempted> {
  const { caller, link, at, definition, change, fields } = attempt
  const { object } = definition
  const grant = granted(attempt, 'create')
  const record =
    caller.repeatedFrom === undefined ? '' : derivedKey(object, caller.command, caller.repeatedFrom)
  if (!caller.dryRun && !(await work.links.note(caller, link, { record, at }))) return AGAIN
  const body = { ...fields, ...(change.by && { [change.by.field]: change.by.value }) }
  try {
    const { key, judgedOnly } = await work.write.create({ ...caller, grant }, { definition, body })
    if (change.rule.action !== undefined && !judgedOnly) await act(work, attempt, key)
    if (!judgedOnly) await noteTaken(work, takingOver(attempt), key, fields)
    const left = leftOut(attempt, body)
    return { Did: 'created', Record: judgedOnly ? null : key, ...left, ...(judgedOnly && { Fields: body }) }
  } catch (error) {
    // Somebody has made it meanwhile.
    const taken = error instanceof Conflict && error.faults.some(({ Field }) => Field === change.by?.field)
    if (taken && !caller.dryRun) return AGAIN
    throw error
  }
}

async function changeRecord(work: IntegrationWork, attempt: Attempt, key: string): Promise<Attempted> {
  const { caller, link, at, definition, change, fields } = attempt
  const { action } = change.rule
  const grant = granted(attempt, 'update')
  const acting = actingCaller(caller)
  const done =
    (await work.write.doneBefore(caller, key)) ??
    (action === undefined ? undefined : await work.write.doneBefore(acting, key))
  if (done && (action === undefined || (await work.write.doneBefore(acting, key))))
    return { Did: 'unchanged', Record: key, Reason: 'it was applied before' }
  const state = await work.states.load(caller.company, key)
  const refused = done ? undefined : await refusalByGuard(work, attempt, key, state)
  if (refused !== undefined) return { Did: 'waiting', Record: key, Reason: refused }
  if (!caller.dryRun && !(await work.links.note(caller, link, { record: key, at }))) return AGAIN
  const over = takingOver(attempt)
  const merged = await whatToTake(work, over, { record: key, state, fields })
  const body = merged?.take ?? fields
  try {
    const written = await work.write.update(
      { ...caller, grant },
      { definition, key, expected: [state.version], body, writing: 'replace' },
    )
    if (action !== undefined && !written.judgedOnly) await act(work, attempt, key)
    if (merged && !written.judgedOnly) await noteTaken(work, over, key, merged)
    const dispute = disputeOf(merged)
    if (dispute !== undefined)
      return { Did: 'conflict', Record: key, Reason: dispute, Disputed: merged!.disputed }
    const did = written.unchanged && action === undefined ? 'unchanged' : 'updated'
    const left = leftOut(attempt, state.fields)
    return { Did: did, Record: key, ...left, ...(written.judgedOnly && { Fields: body }) }
  } catch (error) {
    if (error instanceof PreconditionFailed) return AGAIN
    throw error
  }
}

/** What lookups did not find, for the log: a field that they leave empty would look as if nothing had been said of it. */
function leftOut({ missing }: Attempt, before: Fields): Pick<ChangeResult, 'Missing' | 'Reason'> {
  if (missing.size === 0) return {}
  const stays = (name: string) => ((before[name] ?? null) === null ? 'stays empty' : 'stays as it is')
  const reasons = [...missing].map(([name, why]) => `${why}: ${name} ${stays(name)}`)
  return { Missing: [...missing.keys()], Reason: reasons.join('; ') }
}

async function act(work: IntegrationWork, attempt: Attempt, key: string): Promise<void> {
  const { caller, definition, change, integration } = attempt
  const action = change.rule.action!
  const grant = granted(attempt, `workflow:${action}`)
  const acting = { ...actingCaller(caller), grant }
  await work.write.act(acting, { definition, key, action, roles: [integration.runAs] })
}

const takingOver = ({ integration, definition, link, at }: Attempt): TakingOver => ({
  integration,
  definition,
  externalId: link.externalId,
  at,
})

const actingCaller = (caller: Caller): Caller => ({ ...caller, command: derivedId(`${caller.command}/act`) })

async function refusalByGuard(
  { definitions, states }: IntegrationWork,
  { definition, change, caller: { company } }: Attempt,
  key: string,
  state: RecordState,
): Promise<string | undefined> {
  const { guard } = change.rule
  if (guard === undefined) return undefined
  const filter = parseFilter(guard, definition, definitions)
  const judge = judgeOf({ definitions, states }, { company, definition, key, state })
  return (await judge.fulfils(filter)) ? undefined : `${key} is not as the guard wants it: ${guard}`
}

function granted({ access, definition, integration }: Attempt, action: Action) {
  const grant = access.grant(definition.object, action)
  if (grant) return grant
  throw new Forbidden(`${action} ${definition.object} is not granted to the role ${integration.runAs}`)
}
