/** The mails of the virtual year: a reminder as the service has it, from the timer to the server, with what became of each. */
import type { RecordState } from '../../src/domain/records/record.ts'
import { messageEvents } from '../../src/notifications/sending/message-events.ts'
import { reminders } from '../../src/notifications/sending/reminders.ts'
import { mailSender } from '../../src/notifications/sending/send-mail.ts'
import { suppressions } from '../../src/notifications/sending/suppressions.ts'
import { messageWriter } from '../../src/notifications/sending/write-messages.ts'
import { triggerSchema } from '../../src/notifications/triggers.ts'
import type { Company } from '../../src/domain/events/event.ts'
import type { TimerRule } from '../../src/timers/rule.ts'
import { memoryFiles } from '../support/memory-files.ts'
import { caller, definition, definitions, key, type WriteSide } from '../support/write-side.ts'

export interface MailsOfAYear {
  readonly rule: TimerRule
  /** Key of a tenant with an address. */
  readonly tenant: string
  /** Sends what is due. */
  send(): Promise<void>
  /** `record occurrence` to `sent` or `skipped`; by the events of messages. */
  outcomes(): ReadonlyMap<string, string>
  /** `record occurrence` of each mail that the server took, in their order. */
  readonly taken: readonly string[]
}

export interface MailsOptions {
  readonly side: WriteSide
  readonly company: Company
  readonly days: readonly number[]
  readonly catchUpDays: number
}

export async function mailsOfAYear({
  side,
  company,
  days,
  catchUpDays,
}: MailsOptions): Promise<MailsOfAYear> {
  const { events, states, clock, write } = side
  const messages = messageEvents({ ...side, newCommand: side.newCommand })
  const Email = 'zoe@example.com'
  const { key: tenant } = await write.create(caller({ company }), {
    definition: definition('tenant'),
    body: { Name: 'Zoë', Email },
  })
  const template = key('template', 1)
  const fields = { Trigger: 'job-reminder', Subject: 'S', Body: '<p>{{Title}}</p>', Locale: 'en' }
  await messages.add({ company, key: template, version: 0 }, 'template.created', fields)
  const CreatedAt = new Date(clock.now()).toISOString()
  const found = { key: template, version: 1, json: JSON.stringify({ ...fields, CreatedAt }) }
  const readModels = {
    reached: async () => true,
    list: async () => ({ records: [found], total: 1 }),
  } as unknown as Parameters<typeof messageWriter>[0]['readModels']
  const trigger = triggerSchema.parse({
    trigger: fields.Trigger,
    area: 'workflow',
    object: 'job',
    on: { date: 'Until', days, at: '08:00', zone: 'company' },
    to: [{ field: 'Tenant.Email' }],
  })
  const accessOf = () => {
    throw new Error('no trigger here goes by rights')
  }
  const writing = messageWriter({ definitions, events, readModels, messages, accessOf })
  const triggers = new Map([[trigger.trigger, trigger]])
  const [rule] = reminders({ triggers, definitions, events, clock, write: writing, catchUpDays })

  const nameOf = ({ fields: of }: Pick<RecordState, 'fields'>) =>
    `${of['Record'] as string} ${of['Occurrence'] as string}`
  const taken: string[] = []
  const send = mailSender({
    definitions,
    events,
    messages,
    files: memoryFiles(),
    mailer: {
      async send({ messageId }) {
        const message = /<(.*)@/.exec(messageId)![1]!
        taken.push(nameOf(await states.load(company, message)))
        return '250 taken'
      },
    },
    suppressions: suppressions(messages),
    clock,
    catchUpDays,
    from: 'post@example.com',
    allow: [],
    waitFor: () => 0,
    unsubscribeUrl: () => undefined,
  })
  const outcomes = new Map<string, string>()
  let seen = 0
  return {
    rule: rule!,
    tenant,
    taken,
    outcomes: () => outcomes,
    async send() {
      const fresh = side.log.all(seen)
      seen = fresh.at(-1)?.position ?? seen
      for (const { stream, type } of fresh) {
        if (type !== 'notification.created') continue
        await send(company, { stream, isLast: false })
        const state = await states.load(company, stream)
        outcomes.set(nameOf(state), state.fields['State'] as string)
      }
    },
  }
}
