/**
 * Reports of failed delivery as mail servers write them (RFC 3464): a mail with a part `message/delivery-status`, which is
 * plain lines whatever the rest is.
 */
import { messageIn, type Bounce } from './bounce.ts'

/** Status codes of addresses that are not there, or not any more (RFC 3463). */
const OF_ADDRESS = /^5\.(1\.[12346]|1\.10|2\.1)$/
const REPLY_OF_ADDRESS = /\b55[013][ -](?!5\.[0-9])/

/** Characters of a field. */
const MOST = 1_000

/** What the report says has failed for good; undefined for other mails, and for what may still arrive. */
export function bounceIn(mail: string): Bounce | undefined {
  const text = mail.replaceAll('\r\n', '\n')
  const begin = /^Content-Type:\s*message\/(?:global-)?delivery-status\b/im.exec(text)
  if (!begin) return undefined
  const part = text.slice(text.indexOf('\n\n', begin.index) + 2)
  const end = part.search(/^--/m)
  const groups = (end < 0 ? part : part.slice(0, end)).split(/\n\s*\n/).map(fieldsOf)
  const failed = groups.find((fields) => fields.get('action')?.toLowerCase() === 'failed')
  if (!failed) return undefined
  const status = failed.get('status') ?? ''
  if (status.startsWith('4')) return undefined
  const said = failed.get('diagnostic-code')?.replace(/^smtp;\s*/i, '') ?? ''
  const address = /;\s*<?([^\s<>;]+@[^\s<>;]+?)>?$/.exec(
    failed.get('original-recipient') ?? failed.get('final-recipient') ?? '',
  )
  const headers = text.slice(0, text.indexOf('\n\n'))
  return {
    message: messageIn(headers) ?? messageIn(text),
    address: address?.[1]?.toLowerCase(),
    isAddress: OF_ADDRESS.test(status) || (!/^5\.[1-9]/.test(status) && REPLY_OF_ADDRESS.test(said)),
    reason:
      [status, said]
        .filter((one) => one !== '')
        .join(' ')
        .slice(0, 500) || 'it could not be delivered',
  }
}

/** By their names in lowercase; a line that begins with a space goes on with the one before. */
function fieldsOf(group: string): ReadonlyMap<string, string> {
  const lines = group.replace(/\n[ \t]+/g, ' ').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 1
        ? []
        : [
            [
              line.slice(0, colon).toLowerCase(),
              line
                .slice(colon + 1)
                .trim()
                .slice(0, MOST),
            ] as const,
          ]
    }),
  )
}
