/**
 * A library that behaves like Microsoft Graph as far as the shipped file uses it: changes since a link, in pages, each item with its latest state
 * only; and subscriptions, which are made once the address has sent a token back, end by themselves and say only that something was changed.
 */
import type { Fields } from '../../../src/domain/json.ts'
import { partner, type Asked, type Partner, type Reply } from './partner.ts'

const ROOT = '/v1.0/drives/library/root'
const PAGE = 4
/** What Graph allows for the root of a drive. */
const MOST_MS = 42_300 * 60_000

export interface Graph {
  readonly partner: Partner
  readonly items: ReadonlyMap<string, Fields>
  readonly subscriptions: ReadonlyMap<string, Fields>
  /** What an address answers to whom it does not know. */
  readonly faults: string[]
  change(id: string, fields: Fields): void
  /** The next look by a link has to begin again. */
  expire(): void
  /** Of a hundred answers so many are lost. */
  lose(of100: number): void
  /** Items that were listed. */
  delivered(): number
  /** Notifies of what was changed; how many addresses have taken it. */
  notify(clientState?: string): Promise<number>
  /** Ends all subscriptions without a word. */
  forget(): void
}

export async function graph(now: () => number, random: () => number): Promise<Graph> {
  const books = library(() => new Date(now()).toISOString(), random)
  const subscribing = subscriptionsOf(now)
  const other: Partner = await partner(async (asked) => {
    if (asked.path === '/token') {
      const isRight = new URLSearchParams(asked.body).get('scope') === 'https://graph.microsoft.com/.default'
      return isRight ? { json: { access_token: 'access', expires_in: 3_600 } } : { status: 400 }
    }
    if (asked.headers.authorization !== 'Bearer access') return { status: 401 }
    const reply = (await subscribing.answer(asked)) ?? books.answer(asked, other.url)
    return { ...reply, isDropped: books.isLost() }
  })
  return { ...books, ...subscribing, partner: other }
}

function subscriptionsOf(now: () => number) {
  const subscriptions = new Map<string, Fields>()
  const faults: string[] = []
  let made = 0
  const isLive = ({ expirationDateTime }: Fields) => Date.parse(expirationDateTime as string) > now()
  const badEnd = (text: unknown) => {
    const end = Date.parse(String(text))
    return Number.isNaN(end) || end <= now() || end > now() + MOST_MS
  }
  const refused = (message: string): Reply => {
    faults.push(message)
    return { status: 400, json: { error: { code: 'ValidationError', message } } }
  }
  const make = async (sent: Fields): Promise<Reply> => {
    if (sent['changeType'] !== 'updated' || sent['resource'] !== '/drives/library/root')
      return refused('a drive takes updated at its root')
    if (badEnd(sent['expirationDateTime'])) return refused('Subscription expiration is not valid')
    const token = `Validation: ${++made} & <more>`
    const address = `${sent['notificationUrl'] as string}?validationToken=${encodeURIComponent(token)}`
    const answer = await fetch(address, { method: 'POST', headers: { 'Content-Type': 'text/plain' } })
    const isPlain = answer.headers.get('content-type')?.startsWith('text/plain')
    if (answer.status !== 200 || !isPlain || (await answer.text()) !== token)
      return refused('Subscription validation request failed')
    const id = `subscription-${made}`
    subscriptions.set(id, { ...sent, id })
    return { status: 201, json: { ...sent, id, clientState: null } }
  }
  const answer = ({ method, path, body }: Asked): Reply | Promise<Reply> | undefined => {
    if (path === '/v1.0/subscriptions') {
      if (method === 'POST') return make(JSON.parse(body) as Fields)
      return { json: { value: [...subscriptions.values()].filter(isLive) } }
    }
    const id = /^\/v1\.0\/subscriptions\/(.+)$/.exec(path)?.[1]
    if (id === undefined) return undefined
    const found = subscriptions.get(id)
    if (!found || !isLive(found)) return { status: 404, json: { error: { code: 'ResourceNotFound' } } }
    if (method === 'DELETE') return subscriptions.delete(id) ? { status: 204 } : { status: 404 }
    const { expirationDateTime } = JSON.parse(body) as Fields
    if (badEnd(expirationDateTime)) return refused('Subscription expiration is not valid')
    subscriptions.set(id, { ...found, expirationDateTime: expirationDateTime! })
    return { json: subscriptions.get(id)! }
  }
  return {
    subscriptions,
    faults,
    answer,
    async notify(clientState?: string) {
      let taken = 0
      for (const one of [...subscriptions.values()].filter(isLive)) {
        const notice = {
          subscriptionId: one['id'],
          clientState: clientState ?? one['clientState'],
          resource: one['resource'],
          changeType: 'updated',
          tenantId: 'tenant',
        }
        const answered = await fetch(one['notificationUrl'] as string, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ value: [notice] }),
        })
        if (answered.ok) taken++
      }
      return taken
    },
    forget: () => subscriptions.clear(),
  }
}

function library(now: () => string, random: () => number) {
  const items = new Map<string, Fields>()
  /** Ids by the order of their changes. */
  const changes: string[] = []
  let [expired, lostOf100, delivered] = [false, 0, 0]
  const change = (id: string, fields: Fields) => {
    const state = { ...items.get(id), ...fields, id }
    items.set(id, {
      ...state,
      eTag: `e${changes.length}`,
      cTag: `c${changes.length}`,
      lastModifiedDateTime: now(),
    })
    changes.push(id)
  }
  const delta = (query: URLSearchParams, url: string): Reply => {
    const [from, end] = (query.get('token') ?? `0-${changes.length}`).split('-').map(Number) as [
      number,
      number,
    ]
    if (expired && query.has('token')) {
      expired = false
      return { status: 410, json: { error: { code: 'resyncRequired' } } }
    }
    const upTo = Number.isNaN(end) || end === undefined ? changes.length : end
    const ids = [...new Set(changes.slice(from, Math.min(from + PAGE, upTo)))]
    delivered += ids.length
    const next = from + PAGE
    const value = ids.map((id) => items.get(id)!)
    return next < upTo
      ? { json: { value, '@odata.nextLink': `${url}${ROOT}/delta?token=${next}-${upTo}` } }
      : { json: { value, '@odata.deltaLink': `${url}${ROOT}/delta?token=${upTo}` } }
  }
  const answer = ({ method, path, query, body }: Asked, url: string): Reply => {
    if (path === `${ROOT}/delta`) return delta(query, url)
    const found = [...items.values()].find(({ name }) => path === `${ROOT}:/${name as string}`)
    if (method === 'GET') return found ? { json: found } : { status: 404, json: {} }
    const sent = JSON.parse(body) as Fields
    if ([...items.values()].some(({ name }) => name === sent['name']))
      return { status: 409, json: { error: { code: 'nameAlreadyExists' } } }
    const id = `folder-${items.size}`
    change(id, sent)
    return { status: 201, json: { id } }
  }
  return {
    items,
    change,
    answer,
    isLost: () => random() * 100 < lostOf100,
    expire: () => void (expired = true),
    lose: (of100: number) => void (lostOf100 = of100),
    delivered: () => delivered,
  }
}
