/** What can be done with imports: received, mapped, checked, committed, cancelled, tried again, undone. Each answers at once; the work follows. */
import type { Caller } from '../commands/command.ts'
import { derivedKey } from '../commands/support/identifiers.ts'
import type { Written } from '../commands/support/record-appends.ts'
import { Conflict, NotFound } from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import type { Fields, Json } from '../domain/json.ts'
import { timestampOf } from '../domain/fields/dates.ts'
import type { KeptFile } from '../ports/files.ts'
import { readBody } from '../shapes/body.ts'
import { BANK_STATEMENT } from './bank/run/statement-plan.ts'
import { BANK_LINE, type BankChoices } from './bank/bank-file.ts'
import { commitOptions } from './bodies.ts'
import type { CommitOptions, Import } from './import.ts'
import { DEFAULT_OPTIONS, isUnderWay } from './import.ts'
import { columnQuestions } from './mapping/check-mapping.ts'
import { decideFormats } from './mapping/decide-formats.ts'
import type { Mapping } from './mapping/mapping.ts'
import { IMPORT, importDefinition, type ImportState } from './objects.ts'
import { SameContent, type Received } from './received.ts'
import { begun, type ImportRunner } from './runner.ts'
import { hasItsRows } from './old-files.ts'
import { openStaged } from './staging/staged-rows.ts'
import { beginUndo, type UndoOptions } from './undo/begin-undo.ts'
import { mustBeUndoable } from './undo/original.ts'
import { changeImport, loadImport, readOptionsOf, releaseContent, type ImportWork } from './work.ts'

export interface Imports {
  readonly runner: ImportRunner
  /** Keeps bytes that are about to be received. @throws TooLarge */
  keep(company: Company, bytes: AsyncIterable<Uint8Array>): Promise<KeptFile>
  /** @throws SameContent naming the import that had it */
  receive(caller: Caller, received: Received): Promise<Written>
  /** @throws NotFound */
  find(company: Company, key: string): Promise<Import>
  map(caller: Caller, whole: Import, mapping: Mapping): Promise<Import>
  /** The same for a bank file. */
  chooseBank(caller: Caller, whole: Import, choices: BankChoices): Promise<Import>
  check(caller: Caller, whole: Import): Promise<Import>
  commit(caller: Caller, whole: Import, options: Partial<CommitOptions>): Promise<Import>
  cancel(caller: Caller, whole: Import): Promise<Import>
  retry(caller: Caller, whole: Import): Promise<Import>
  /** @returns the undo, an import of its own */
  undo(caller: Caller, whole: Import, options: UndoOptions): Promise<Import>
}

export function importsOf(work: ImportWork, runner: ImportRunner): Imports {
  const woken = async (change: Promise<Import>): Promise<Import> => {
    const whole = await change
    runner.wake(whole.company, whole.key)
    return whole
  }
  const change = (caller: Caller, whole: Import, body: Fields) =>
    woken(changeImport(work, whole, body, caller))

  return {
    runner,
    keep: (company, bytes) => work.files.put(company, bytes, work.maxBytes),

    receive: (caller, received) => receiveFile(work, runner, caller, received),

    async find(company, key) {
      const whole = await loadImport(work, company, key)
      if (!whole) throw new NotFound(`there is no import ${key.slice(0, 100)}`)
      return whole
    },

    chooseBank(caller, whole, choices) {
      mustBe(whole, 'NeedsMapping', 'Checked')
      const Bank = { ...whole.bank, Choices: choices } as unknown as Json
      return change(caller, whole, { Bank, State: 'Reading', Read: null, Check: null, Questions: null })
    },

    map: async (caller, whole, mapping) => change(caller, whole, await mapImport(work, whole, mapping)),

    async check(caller, whole) {
      mustBe(whole, 'Checked')
      return change(caller, whole, { State: 'Reading', Check: null })
    },

    async commit(caller, whole, options) {
      mustBe(whole, 'Checked')
      if (whole.kind === 'undo') mustBeUndoable((await loadImport(work, whole.company, whole.undoes!))!)
      if (whole.kind !== 'undo' && !(await hasItsRows(work, whole))) return rowsLost(work, whole, caller)
      const all = { ...whole.options, ...options }
      if (all.OnError === 'nothing' && whole.check!.WouldFail > 0)
        throw new Conflict(
          `${whole.check!.WouldFail} rows would be refused, and none may be: correct them, or commit with OnError continue.`,
        )
      const chosen = await changeImport(work, whole, { Options: all }, caller)
      return woken(begun(work, chosen, caller))
    },

    async cancel(caller, whole) {
      if (whole.state === 'Cancelled') return whole
      if (whole.state === 'Undoing')
        throw new Conflict(`${whole.key} is being undone: cancel ${whole.fields['UndoneBy'] as string}.`)
      if (whole.state !== 'Checked' && isUnderWay(whole)) return change(caller, whole, { IsCancelling: true })
      mustBe(whole, 'NeedsMapping', 'Checked')
      const cancelled = await changeImport(
        work,
        whole,
        { State: 'Cancelled', Reason: 'it was cancelled' },
        caller,
      )
      await releaseContent(work, cancelled)
      return cancelled
    },

    async retry(caller, whole) {
      mustBe(whole, 'CompletedWithErrors')
      if (whole.kind === 'undo')
        throw new Conflict('An undo is not tried again: undo once more what is left.')
      if (whole.fields['FilesRemovedAt'] !== undefined)
        throw new Conflict(`The rows of ${whole.key} are not kept any more: send the file again.`)
      if (!(await hasItsRows(work, whole)))
        throw new Conflict(
          `The rows of ${whole.key} are lost: send those that were refused as a file of their own.`,
        )
      return change(caller, whole, { State: 'Running', Runs: whole.runs + 1, Reason: null })
    },

    undo: (caller, whole, options) => woken(beginUndo(work, caller, whole, options)),
  }
}

/** Nothing of it was written: its content may be imported again. */
async function rowsLost(work: ImportWork, whole: Import, caller: Caller): Promise<Import> {
  const Reason = 'what was read of the file is not kept any more: send the file once more'
  const failed = await changeImport(work, whole, { State: 'Failed', Reason }, caller)
  await releaseContent(work, whole)
  return failed
}

async function receiveFile(
  work: ImportWork,
  runner: ImportRunner,
  given: Caller,
  { definition, file, name, mapping, options, again, schedule, profile, bank }: Received,
): Promise<Written> {
  const repeatedFrom = given.repeatedFrom ?? work.clock.now()
  const caller = { ...given, repeatedFrom, grant: undefined }
  const { company, actor, person } = caller
  const key = derivedKey(IMPORT, caller.command, repeatedFrom)
  const isBank = definition.object === BANK_STATEMENT
  const object = isBank ? BANK_LINE : definition.object
  const content = { object, profile, sha256: file.sha256 }
  const other = await work.claims.take(caller, content, key, again)
  if (other !== undefined && !again) throw new SameContent(other)
  const body: Fields = {
    Kind: isBank ? 'bank' : 'file',
    Object: object,
    ...(isBank && { Bank: { Choices: bank ?? {} } }),
    State: 'Reading',
    Sha256: file.sha256,
    File: { Name: name, Bytes: file.bytes },
    Mapping: { Fields: {}, ...mapping },
    Options: { ...DEFAULT_OPTIONS, ...options },
    By: actor,
    Person: person ?? actor,
    SameContentAs: other ?? null,
    Schedule: schedule ?? null,
    Profile: profile ?? null,
  }
  const written = await work.write.create(caller, { definition: importDefinition, body, importing: true })
  runner.wake(company, written.key)
  return written
}

async function mapImport(work: ImportWork, whole: Import, mapping: Mapping): Promise<Fields> {
  mustBe(whole, 'NeedsMapping', 'Checked')
  const isReadAgain = JSON.stringify(readOptionsOf(whole)) !== JSON.stringify(readOptionsOf({ mapping }))
  if (isReadAgain)
    return { Mapping: mapping as unknown as Json, State: 'Reading', Read: null, Check: null, Questions: null }
  const { Columns } = whole.read!
  const { findings } = await openStaged(work.files, whole.company, whole.read!)
  const definition = work.definitions.get(whole.object)!
  const decided = decideFormats(definition, mapping, Columns, findings)
  const questions = [...columnQuestions(definition, mapping, Columns), ...decided.questions]
  return {
    Mapping: decided.mapping as unknown as Json,
    MappedAt: timestampOf(work.clock.now()),
    Check: null,
    Questions: questions.length > 0 ? (questions as unknown as Json) : null,
    State: questions.length > 0 ? 'NeedsMapping' : 'Reading',
  }
}

/** @throws Conflict when the import is in another state */
export function mustBe({ state, key }: Import, ...states: readonly ImportState[]): void {
  if (!states.includes(state))
    throw new Conflict(`${key} is ${state}; this can be done when it is ${states.join(' or ')}.`)
}

/** @throws Invalid for what cannot be committed so */
export function readCommitOptions(body: Json | undefined): Partial<CommitOptions> {
  const { OnError, MaxErrors } = readBody(commitOptions, body ?? {}, 'The options are not valid.')
  return { ...(OnError && { OnError }), ...(typeof MaxErrors === 'number' && { MaxErrors }) }
}
