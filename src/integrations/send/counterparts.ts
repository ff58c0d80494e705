/**
 * What is known of a record's counterpart in another system: its Id there, what was last sent, and on which values both sides
 * agreed, by their digests. The Key follows from what it is of: there is one, and of two processes that change it one is refused.
 */
import { derivedKey } from '../../commands/support/identifiers.ts'
import { isObject, type Fields } from '../../domain/json.ts'
import { COUNTERPART } from '../objects.ts'
import type { IntegrationWork } from '../work.ts'

export interface CounterpartName {
  readonly company: string
  readonly integration: string
  readonly record: string
}

export interface Counterpart extends CounterpartName {
  readonly version: number
  /** The Id that the record has there. */
  readonly externalId: string | undefined
  /** By entry of `send`: the digest of the last request that was taken. */
  readonly sent: Readonly<Record<string, string>>
  /** By field: the digest of the value that both sides had last. */
  readonly agreed: Readonly<Record<string, string>>
}

export async function loadCounterpart(
  { states }: Pick<IntegrationWork, 'states'>,
  name: CounterpartName,
): Promise<Counterpart> {
  const { version, fields } = await states.load(name.company, keyOf(name))
  const texts = (field: string) => {
    const value = fields[field]
    return isObject(value) ? (value as Record<string, string>) : {}
  }
  const externalId = (fields['ExternalId'] as string | null | undefined) ?? undefined
  return { ...name, version, externalId, sent: texts('Sent'), agreed: texts('Agreed') }
}

/** Stores what is new about it; looks again where another process was faster. */
export async function noteCounterpart(
  work: Pick<IntegrationWork, 'states' | 'steps'>,
  name: CounterpartName,
  news: Partial<Pick<Counterpart, 'externalId' | 'sent' | 'agreed'>>,
): Promise<void> {
  for (;;) {
    const before = await loadCounterpart(work, name)
    const externalId = news.externalId ?? before.externalId
    const sent = { ...before.sent, ...news.sent }
    const agreed = { ...before.agreed, ...news.agreed }
    const data: Fields = { ExternalId: externalId ?? null, Sent: sent, Agreed: agreed }
    const was: Fields = { ExternalId: before.externalId ?? null, Sent: before.sent, Agreed: before.agreed }
    if (before.version > 0 && JSON.stringify(data) === JSON.stringify(was)) return
    const isNew = before.version === 0
    const named = { Integration: name.integration, Record: name.record }
    const at = { company: name.company, key: keyOf(name), version: before.version }
    const type = `${COUNTERPART}.${isNew ? 'created' : 'updated'}`
    if (await work.steps.add(at, type, { ...(isNew && named), ...data })) return
  }
}

const keyOf = ({ company, integration, record }: CounterpartName): string =>
  derivedKey(COUNTERPART, JSON.stringify([company, integration, record]), 0)
