/**
 * The bytes of mails, kept as files for some time: what is sent again is the same to the letter, also after an upgrade, and it
 * can be shown what was written. The hash in the events names the file, and stays.
 */
import type { Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import type { Files } from '../../ports/files.ts'
import type { Mailer } from '../../ports/sending/mailer.ts'
import type { TimerRule } from '../../timers/rule.ts'
import { notification } from '../objects.ts'

export interface KeptMail {
  readonly bytes: Buffer
  readonly hash: string
  readonly messageId: string
}

const DAY_MS = 86_400_000
/** Of one mail: fifty messages in a digest, as long as templates can be. */
const MOST = 64 * 1024 * 1024

/** The mail as it was before; undefined where there was none, or it is not kept any more. */
export async function keptMail(
  files: Pick<Files, 'open'>,
  company: Company,
  { Hash, MessageId }: Fields,
): Promise<KeptMail | undefined> {
  if (typeof Hash !== 'string' || typeof MessageId !== 'string') return undefined
  const pieces = await files.open(company, Hash)
  if (!pieces) return undefined
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return { bytes: Buffer.concat(all), hash: Hash, messageId: MessageId }
}

/** @throws TooLarge; Unavailable when it cannot be kept now */
export async function keepMail(
  files: Pick<Files, 'put'>,
  company: Company,
  { bytes, messageId }: Pick<KeptMail, 'bytes' | 'messageId'>,
): Promise<KeptMail> {
  const { sha256 } = await files.put(company, piecesOf(bytes), MOST)
  return { bytes, hash: sha256, messageId }
}

async function* piecesOf(bytes: Uint8Array) {
  yield bytes
}

export interface ForgetMailsOptions {
  readonly files: Pick<Files, 'remove'>
  readonly mailer: Pick<Mailer, 'forget'>
  readonly keepDays: number
}

/** Bytes go so many days after the last that happened to their message. */
export function forgetMails({ files, mailer, keepDays }: ForgetMailsOptions): TimerRule {
  return {
    name: 'notification.forget',
    shape: JSON.stringify([keepDays]),
    object: notification.object,
    // Also those of before the rule, or of a longer time.
    backfill: true,
    fields: notification.fields.map(({ name }) => name),
    plan({ state: { fields, modifiedAt } }) {
      if (typeof fields['Hash'] !== 'string') return []
      return [{ occurrence: `kept|${modifiedAt}`, due: Date.parse(modifiedAt) + keepDays * DAY_MS }]
    },
    async fire({ company }, { state: { fields } }) {
      await files.remove(company, fields['Hash'] as string)
      await mailer.forget(fields['MessageId'] as string)
    },
  }
}
