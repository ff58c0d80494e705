/**
 * A company of its own for a test on a server of events that others use: whoever made the first company there, and
 * whatever earlier runs have left, it begins empty, and its token lets in.
 */
import { randomUUID } from 'node:crypto'
import { eventStoreDbStore } from '../../src/adapters/eventstoredb/event-store.ts'
import { identifiers } from '../../src/commands/support/identifiers.ts'
import { ownEvent } from '../../src/commands/support/own-event.ts'
import type { Fields } from '../../src/domain/json.ts'
import { OPERATOR, SYSTEM_ADMIN } from '../../src/rights/granting.ts'
import { newTokenValue, tokenHash, tokenHint, tokenPlaces } from '../../src/identity/tokens/token-values.ts'

/**
 * A token that may do everything in the new company; its name is `bootstrap`.
 * @param value of the token: one that nobody has had before
 * @param now by the clock of the service that will use it: no later event of the log can be shown as of an earlier moment
 */
export async function ownCompany(
  eventStoreUrl: string,
  value = newTokenValue(),
  now = Date.now(),
): Promise<string> {
  const events = eventStoreDbStore({ url: eventStoreUrl })
  const names = identifiers({ now: Date.now, elapsed: () => performance.now() })
  const [company, key, command] = [names.newKey('company'), names.newKey('token'), randomUUID()]
  const create = (stream: string, type: string, data: Fields) => {
    const event = ownEvent({ company, stream, type, data, now, command, name: 'bootstrap' })
    return events.append({ company, stream, expected: 0, events: [event] })
  }
  try {
    await create(company, 'company.created', { Name: `Test ${company.slice(-6)}` })
    await tokenPlaces(events).point(tokenHash(value), { company, key }, { command, now })
    await create(key, 'token.created', {
      Name: 'bootstrap',
      Roles: [SYSTEM_ADMIN, OPERATOR],
      Hash: tokenHash(value),
      Hint: tokenHint(value),
    })
  } finally {
    await events.close()
  }
  return value
}
