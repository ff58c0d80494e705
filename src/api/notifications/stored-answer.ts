/** The answer to a change of a message or a suppression: what it is now. */
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { Company } from '../../domain/events/event.ts'
import type { MessageEvents } from '../../notifications/sending/message-events.ts'
import { success } from '../http/send.ts'

export async function storedAnswer(
  messages: Pick<MessageEvents, 'load'>,
  company: Company,
  key: string,
  status: 200 | 201 = 200,
): Promise<RecordedAnswer> {
  const { fields } = await messages.load(company, key)
  return { status, headers: {}, body: success(JSON.stringify({ Id: key, ...fields })) }
}
