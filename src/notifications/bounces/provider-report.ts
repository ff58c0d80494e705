/**
 * Reports of providers that send mails: JSON, of one shape each. What they have in common is enough: words for what happened,
 * and somewhere the Message-ID or the address (docs/notifications.md#bounces).
 */
import { isObject, type Json } from '../../domain/json.ts'
import { messageIn, type Bounce } from './bounce.ts'

/** Members that say what happened, in lowercase and without `_` and `-`. */
const WORDS = ['event', 'type', 'recordtype', 'eventtype', 'notificationtype', 'severity', 'bouncetype']
const ADDRESSES = ['email', 'recipient', 'emailaddress', 'rcptto', 'to']
const REASONS = ['reason', 'description', 'diagnosticcode', 'error', 'message', 'response']
const SOFT =
  /^(softbounce|transient|temporary|deferred|delayed|delay|undetermined|blocked|subscriptionconfirmation)$/
const COMPLAINT = /^(spam|complaint|complained|spamreport|spamcomplaint)$/
const HARD = /^(hardbounce|invalidemail|invalid|bademailaddress|permanent|bounce|bounced)$/
const MOST = { depth: 8, leaves: 2_000 }

type Leaf = readonly [name: string, value: string]

/** What has failed for good, or was complained about. A report may hold several. */
export function bouncesIn(body: Json): readonly Bounce[] {
  const reports = Array.isArray(body) ? (body as readonly Json[]) : [body]
  return reports.flatMap((report): Bounce[] => {
    const leaves = [...leavesOf(report)].slice(0, MOST.leaves)
    const words = leaves.filter(([name]) => WORDS.includes(name)).map(([, value]) => plain(value))
    const isComplaint = words.some((word) => COMPLAINT.test(word))
    if (words.some((word) => SOFT.test(word)) || !(isComplaint || words.some((word) => HARD.test(word))))
      return []
    const of = (names: readonly string[]) => leaves.find(([name]) => names.includes(name))?.[1]
    const address = leaves.find(([name, value]) => ADDRESSES.includes(name) && value.includes('@'))?.[1]
    const message = leaves.map(([, value]) => messageIn(value)).find((found) => found !== undefined)
    if (message === undefined && address === undefined) return []
    const said = (of(REASONS) ?? '').slice(0, 500)
    return [
      {
        message,
        address: address?.trim().toLowerCase(),
        isAddress: true,
        reason: isComplaint ? 'the recipient has complained about it' : said || 'it could not be delivered',
      },
    ]
  })
}

const plain = (text: string) => text.toLowerCase().replaceAll(/[_\s-]/g, '')

function* leavesOf(value: Json, name = '', depth = 0): Generator<Leaf> {
  if (depth > MOST.depth) return
  if (typeof value === 'string') yield [name, value]
  else if (Array.isArray(value))
    for (const one of value as readonly Json[]) yield* leavesOf(one, name, depth + 1)
  else if (isObject(value))
    for (const [of, one] of Object.entries(value)) yield* leavesOf(one, plain(of), depth + 1)
}
