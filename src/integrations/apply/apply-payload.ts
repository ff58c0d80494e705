/** What a payload means, done change by change. */
import { derivedId } from '../../commands/support/identifiers.ts'
import type { DryRun } from '../../commands/command.ts'
import { Conflict, Forbidden, Invalid, NotFound, TooLarge } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import type { Access } from '../../rights/access.ts'
import type { Received } from '../definition/receive-schema.ts'
import type { Integration } from '../integration.ts'
import { changesOf, messagesOf, type Change, type Message } from '../mapping/plan.ts'
import { Unmappable } from '../mapping/unmappable.ts'
import type { IntegrationWork } from '../work.ts'
import { applyChange, subjectOf } from './apply-change.ts'
import type { ChangeResult } from './results.ts'

export interface PayloadToApply {
  readonly integration: Integration
  readonly entry: Received
  readonly access: Access
  readonly payload: Json
  readonly body: Uint8Array
  /** What led to it: the row of the inbox. */
  readonly cause: { readonly id: string; readonly receivedAt: number } | undefined
  readonly dryRun?: DryRun
}

export interface AppliedPayload {
  readonly results: readonly ChangeResult[]
  /** Of the first change that waits. */
  readonly waitsFor: string | undefined
  /** Of records that were changed. */
  readonly changed: readonly string[]
}

/** @throws Unavailable when the rest cannot be done now: what was done is known again */
export async function applyPayload(work: IntegrationWork, given: PayloadToApply): Promise<AppliedPayload> {
  const results: ChangeResult[] = []
  const changed: string[] = []
  let waitsFor: string | undefined
  for (const { message, changes, refused } of plansOf(given)) {
    if (refused !== undefined) results.push({ Object: '', Did: 'rejected', Record: null, Reason: refused })
    for (const [index, change] of changes.entries()) {
      const result = await resultOf(work, given, message!, change, index)
      results.push(result)
      if (result.Did === 'waiting') waitsFor ??= subjectOf(change)
      if (result.Did === 'created' || result.Did === 'updated') changed.push(subjectOf(change))
    }
  }
  return { results, waitsFor, changed }
}

interface Plan {
  readonly message?: Message
  readonly changes: readonly Change[]
  readonly refused?: string
}

function plansOf({ entry, payload, body }: PayloadToApply): readonly Plan[] {
  const tried = (make: () => readonly Plan[]): readonly Plan[] => {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof Unmappable)) throw error
      return [{ changes: [], refused: error.message }]
    }
  }
  return tried(() =>
    messagesOf(entry, payload, body).flatMap((message) =>
      tried(() => [{ message, changes: changesOf(entry, message) }]),
    ),
  )
}

async function resultOf(
  work: IntegrationWork,
  { integration, entry, access, cause, dryRun }: PayloadToApply,
  { id, at }: Message,
  change: Change,
  index: number,
): Promise<ChangeResult> {
  const { company, key } = integration
  const command = cause ? derivedId(JSON.stringify([key, entry.name, id, index])) : work.newCommand()
  const caller = {
    company,
    actor: key,
    correlation: work.newCommand(),
    command,
    source: `integration:${key}`,
    ...(cause && { causation: cause.id, repeatedFrom: cause.receivedAt }),
    reads: (object: string) => access.grant(object, 'read'),
    dryRun,
  }
  try {
    return await applyChange(work, { integration, access, at, caller }, change)
  } catch (error) {
    const isRefused = [Unmappable, Invalid, Forbidden, NotFound, Conflict, TooLarge].some(
      (kind) => error instanceof kind,
    )
    if (!isRefused) throw error
    return { Object: change.rule.object, Did: 'rejected', Record: null, Reason: (error as Error).message }
  }
}
