/** What a report of failed delivery changes: the message has bounced, and an address that is not there gets no more. */
import { Unavailable } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { notification } from '../objects.ts'
import type { MessageEvents } from '../sending/message-events.ts'
import type { Suppressions } from '../sending/suppressions.ts'
import type { Bounce } from './bounce.ts'

export interface NoteBounceOptions {
  readonly messages: MessageEvents
  readonly suppressions: Suppressions
  readonly readModels: Pick<ReadModels, 'list'>
}

/** May be done twice: the report may come again. Whether it was about a message of the company. @throws Unavailable */
export type NoteBounce = (company: Company, bounce: Bounce) => Promise<boolean>

/** States of messages that a server may have taken. */
const MAY_BOUNCE = ['attempting', 'due', 'sent', 'failed', 'uncertain']

export function bounceNoter({ messages, suppressions, readModels }: NoteBounceOptions): NoteBounce {
  /** The newest to the address. */
  const lastTo = async (company: Company, address: string): Promise<string | undefined> => {
    if (!/^[^\s']{1,254}$/.test(address)) return undefined
    const { records } = await readModels.list(company, {
      object: notification.object,
      filter: parseFilter(`Recipient eq '${address}'`, notification, new Map()),
      sort: [],
      expand: [],
      offset: 0,
      limit: 1,
    })
    return records[0]?.key
  }
  return async (company, { message, address, isAddress, reason }) => {
    const key = message ?? (address === undefined ? undefined : await lastTo(company, address))
    if (key === undefined) return false
    const { status, fields, version } = await messages.load(company, key)
    if (status !== 'live') return false
    if (isAddress) {
      // The message says which address: a report may name any.
      const suppressed = {
        address: fields['Recipient'] as string,
        category: '*',
        reason: `it came back: ${reason}`,
      }
      await suppressions.add(company, suppressed)
    }
    if (!MAY_BOUNCE.some((state) => state === fields['State'])) return true
    const data = { State: 'bounced', Reason: reason }
    if (await messages.add({ company, key, version }, 'notification.bounced', data)) return true
    throw new Unavailable('the message has changed at this moment')
  }
}
