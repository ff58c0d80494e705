/** Addresses that are not written to: one record for each address and category, whose Key follows from both. */
import type { Caller } from '../../commands/command.ts'
import { derivedKey } from '../../commands/support/identifiers.ts'
import type { Company } from '../../domain/events/event.ts'
import type { MessageEvents } from './message-events.ts'

export interface Suppressions {
  /** Why the address is not written to in this category; undefined: it is. */
  find(company: Company, address: string, category: string | undefined): Promise<string | undefined>
  add(company: Company, suppressed: Suppressed, by?: Partial<Caller>): Promise<string>
}

export interface Suppressed {
  readonly address: string
  /** `*`: all. */
  readonly category: string
  readonly reason: string
}

/** By streams: what was suppressed a moment ago is known at once, in every process. */
export function suppressions(messages: MessageEvents): Suppressions {
  const keyOf = (company: Company, address: string, category: string) =>
    derivedKey('suppression', JSON.stringify([company, address.toLowerCase(), category]), 0)
  return {
    async find(company, address, category) {
      for (const one of ['*', ...(category === undefined ? [] : [category])]) {
        const { status, fields } = await messages.load(company, keyOf(company, address, one))
        if (status === 'live') return (fields['Reason'] as string | undefined) ?? 'it is suppressed'
      }
      return undefined
    },
    async add(company, { address, category, reason }, by = {}) {
      const key = keyOf(company, address, category)
      const state = await messages.load(company, key)
      const at = { company, key, version: state.version }
      if (state.status === 'deleted') await messages.add(at, 'suppression.restored', {}, by)
      if (state.status === 'absent') {
        const data = { Address: address.toLowerCase(), Category: category, Reason: reason }
        await messages.add(at, 'suppression.created', data, by)
      }
      return key
    },
  }
}
