/**
 * Clients that write, and one that follows the feed of changes, whatever happens to the service; and what they must have
 * seen: each change once, in the order of the commits, and in the end every record as it is.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import type { HttpClient, HttpRequest } from './http-client.ts'
import type { Random } from '../../support/random.ts'

interface Item {
  readonly Id: string
  readonly Name?: string
  readonly IsDeleted?: true
}

interface Feed {
  readonly Data: readonly Item[]
  readonly Next: string
  readonly HasMore: boolean
}

export interface FeedClientsOf {
  /** A client of a process that serves the API at this moment, or did a moment ago. */
  readonly http: () => HttpClient
  readonly random: Random
  readonly writers: number
  /** Longest pause of a writer between two requests. */
  readonly pauseMs: number
}

export interface FeedClients {
  /** Sends a request; true: it was answered as expected, false: it was not answered, or with 503. */
  ask(request: HttpRequest, expected: number): Promise<boolean>
  /** Why they could not go on; undefined: they do. */
  failure(): unknown
  /** Lets the writers end, and the reader once it has nothing more to read. */
  finish(): Promise<void>
  readonly told: readonly Item[]
  pages(): number
}

const READ_AGAIN_MS = 20

export function feedClients({ http, random, writers, pauseMs }: FeedClientsOf): FeedClients {
  /** The answer's JSON; undefined when there was none. */
  const ask = async (request: HttpRequest, expected: number) => {
    const answer = await http()
      .send(request)
      .catch(() => undefined)
    if (answer === undefined) return undefined
    if (answer.status !== expected && answer.status !== 503)
      throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.text.slice(0, 500)}`)
    return answer.status === 503 ? undefined : (JSON.parse(answer.text) as { readonly Data: Item })
  }

  let writing = true
  let count = 0
  const writer = async () => {
    const own: string[] = []
    while (writing) {
      const Name = `lead ${++count}`
      const path = '/api/v1/lead'
      const what = own.length < 3 ? 0 : random.next()
      if (what < 0.4) {
        const made = await ask({ method: 'POST', path, body: { Name } }, 201)
        if (made) own.push(made.Data.Id)
      } else if (what < 0.9) {
        const changed = `${path}/${random.pick(own)}`
        await ask({ method: 'PATCH', path: changed, body: { Name } }, 200)
      } else {
        // Once asked to, it may be gone, answered or not.
        const [gone] = own.splice(random.between(0, own.length - 1), 1)
        await ask({ method: 'DELETE', path: `${path}/${gone}` }, 200)
      }
      await delay(random.between(0, pauseMs))
    }
  }

  const told: Item[] = []
  let pages = 0
  const reader = async () => {
    let token = ''
    for (let last = false; ;) {
      const path = `/api/v1/lead/changes?pageSize=7${token === '' ? '' : `&since=${token}`}`
      const done = !writing
      const answer = (await ask({ method: 'GET', path }, 200)) as Feed | undefined
      if (!answer) {
        await delay(READ_AGAIN_MS)
        continue
      }
      pages++
      told.push(...answer.Data)
      token = answer.Next
      if (answer.HasMore) continue
      if (last) return
      last = done
      await delay(5)
    }
  }

  const clients = Promise.all([reader(), ...Array.from({ length: writers }, writer)])
  let failure: unknown
  clients.catch((error: unknown) => (failure = error))
  return {
    ask: async (request, expected) => (await ask(request, expected)) !== undefined,
    failure: () => failure,
    async finish() {
      writing = false
      await clients
    },
    told,
    pages: () => pages,
  }
}

export interface LeadEvent {
  readonly type: string
  readonly stream: string
  readonly position: number
  readonly data: Fields
}

/** @throws AssertionError when the feed told something twice, out of order, or not at all */
export function checkFeed(told: readonly Item[], all: readonly LeadEvent[]): readonly LeadEvent[] {
  const events = all.filter(({ type }) => type.startsWith('lead.'))
  const named = new Map(events.map(({ data, position }) => [data['Name'], position]))
  const deleted = new Map(
    events.filter(({ type }) => type === 'lead.deleted').map(({ stream, position }) => [stream, position]),
  )
  const positions = told.map(({ Id, Name, IsDeleted }) => (IsDeleted ? deleted.get(Id) : named.get(Name)))
  for (const [i, position] of positions.entries())
    expect(position, `item ${i}, ${JSON.stringify(told[i])}`).to.be.greaterThan(positions[i - 1] ?? 0)

  const last = new Map(events.map(({ stream, position }) => [stream, position]))
  const known = new Map(told.map(({ Id }, i) => [Id, positions[i]]))
  expect([...known].sort()).to.deep.equal([...last].sort())
  return events
}
