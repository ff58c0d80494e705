/**
 * One attempt to send a message: what is stored before, what after. A process that dies between the two leaves a message that
 * is `attempting`: whether the server took it is not known. Its trigger says whether it is sent again, with the same
 * Message-ID, or held for a person to decide.
 */
import { Unavailable, messageOf } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'
import { MailRefused, type Mailer } from '../../ports/sending/mailer.ts'
import {
  attemptHeld,
  attemptOver,
  type Send,
  type SendAttempt,
  type ToSend,
} from '../../ports/sending/send-attempt.ts'
import { gathersFor } from './gather.ts'
import { keepMail, keptMail, type KeptMail } from './kept-mails.ts'
import type { MessageAt, MessageEvents } from './message-events.ts'
import { addressIn } from './mime.ts'
import type { Suppressions } from './suppressions.ts'
import { withheldFor, type Withholding } from './withheld.ts'
import { writeMail, type WriteMailOptions } from './write-mail.ts'

export interface SendMailOptions extends Withholding, WriteMailOptions {
  readonly messages: MessageEvents
  readonly mailer: Pick<Mailer, 'send'>
  readonly files: Pick<Files, 'put' | 'open'>
  readonly suppressions: Suppressions
  readonly clock: Pick<Clock, 'now'>
  /** A message that has been due for more days is not sent any more. */
  readonly catchUpDays: number
  /** How many ms a message has to wait because its trigger has had its share; 0: none. */
  readonly waitFor: (company: Company, trigger: string) => number
}

const DAY_MS = 86_400_000
/** How soon a digest is looked at again: the clock on the wall may be moved meanwhile. */
const LOOK_MS = 30_000

export function mailSender(options: SendMailOptions): Send {
  const { messages, waitFor, clock, catchUpDays } = options

  return async (company, { stream: key, isLast }) => {
    const state = await messages.load(company, key)
    const { fields, version } = state
    const at = { company, key, version }
    const status = fields['State']
    if (state.status !== 'live') return attemptOver('there is no such message')
    if (status === 'attempting' && fields['IfUnsure'] === 'hold') {
      await messages.add(at, 'notification.uncertain', { State: 'uncertain', Reason: UNCERTAIN })
      return attemptOver(UNCERTAIN)
    }
    if (status !== 'due' && status !== 'attempting')
      return attemptOver(`it is ${status as string}`, status === 'sent')
    const rest = status === 'due' ? gathersFor(fields, clock.now()) : 0
    if (rest > 0) return attemptHeld('a digest that gathers', Math.min(rest, LOOK_MS))
    const late = Math.floor((clock.now() - Date.parse(state.createdAt)) / DAY_MS)
    if (status === 'due' && late > catchUpDays) {
      const reason = `it was due ${late} days before: at most ${catchUpDays} are made up for`
      await messages.add(at, 'notification.skipped', { State: 'skipped', Reason: reason })
      return attemptOver(reason)
    }
    const category = (fields['Category'] as string | null | undefined) ?? undefined
    const reason = await withheldFor(options, company, fields['Recipient'] as string, category)
    if (reason !== undefined) {
      await messages.add(at, 'notification.withheld', { State: 'withheld', Reason: reason })
      return attemptOver(reason)
    }
    const wait = waitFor(company, fields['Trigger'] as string)
    if (wait > 0) return attemptHeld(HELD, wait)
    return attempt(options, { ...at, isLast }, state)
  }
}

const HELD = 'held at MAIL_RATE_PER_HOUR'
const UNCERTAIN = 'the process ended while it was sent: whether it arrived is not known'

async function attempt(
  options: SendMailOptions,
  { isLast, ...at }: MessageAt & Pick<ToSend, 'isLast'>,
  state: RecordState,
): Promise<SendAttempt> {
  const { messages, mailer, suppressions, from } = options
  const { company, key } = at
  const { fields } = state
  const sender = addressIn(from)
  let mail
  try {
    mail = await mailOf(options, at, state)
  } catch (error) {
    if (error instanceof Unavailable) throw error
    return settled(messages, at, { type: 'failed', detail: `it cannot be written: ${detailOf(error)}` })
  }
  const attempting = {
    State: 'attempting',
    MessageId: mail.messageId,
    Hash: mail.hash,
    Attempts: Number(fields['Attempts'] ?? 0) + 1,
  }
  if (!(await messages.add(at, 'notification.attempting', attempting)))
    return { isOver: false, isSent: false, detail: 'it has changed meanwhile' }
  const next = { ...at, version: at.version + 1 }
  const to = fields['Recipient'] as string
  let reply
  try {
    // Each message has a return path of its own, so that a report of failure names it.
    const [name, domain] = sender.split('@') as [string, string]
    const { bytes, messageId } = mail
    reply = await mailer.send({ from: `${name}+${key}@${domain}`, to, bytes, messageId })
  } catch (error) {
    const detail = detailOf(error)
    const isRefused = error instanceof MailRefused
    if (isRefused && error.isFinal) {
      if (error.isAddress) await suppressions.add(company, { address: to, category: '*', reason: detail })
      return settled(messages, next, { type: 'failed', detail })
    }
    // Where the server did not say, it may have taken the mail.
    if (!isRefused && fields['IfUnsure'] === 'hold')
      return settled(messages, next, {
        type: 'uncertain',
        detail: `whether it arrived is not known: ${detail}`,
      })
    if (isLast) return settled(messages, next, { type: 'failed', detail: `given up: ${detail}` })
    await messages.add(next, 'notification.deferred', { State: 'due', Reason: detail })
    return { isOver: false, isSent: false, detail }
  }
  await messages.add(next, 'notification.sent', { State: 'sent', Reply: reply.slice(0, 1_000) })
  return attemptOver(reply, true)
}

/** What was written for an earlier attempt, else what is written now. */
async function mailOf(
  options: SendMailOptions,
  { company, key }: MessageAt,
  state: RecordState,
): Promise<KeptMail> {
  const { files, from } = options
  const before = await keptMail(files, company, state.fields)
  if (before) return before
  const messageId = `<${key}@${addressIn(from).split('@').at(-1)!}>`
  const bytes = await writeMail(options, { company, key, state, messageId })
  return keepMail(files, company, { bytes, messageId })
}

const detailOf = (error: unknown): string => messageOf(error).slice(0, 1_000)

/** Stores that it was not sent, or may have been, and is not tried again by itself. */
async function settled(
  messages: MessageEvents,
  at: MessageAt,
  { type, detail }: { readonly type: 'failed' | 'uncertain'; readonly detail: string },
): Promise<SendAttempt> {
  await messages.add(at, `notification.${type}`, { State: type, Reason: detail })
  return attemptOver(detail)
}
