/** What else there is to see about a record, as far as one may. */
import type { Seen } from '../../api/objects.ts'

export interface Others {
  readonly mails: boolean
  readonly webhooks: boolean
  readonly integrations: boolean
}

export const othersOf = ({ Actions }: Seen): Others => ({
  mails: Actions.includes('notify template'),
  webhooks: Actions.includes('administer webhook'),
  integrations: Actions.includes('administer integration'),
})
