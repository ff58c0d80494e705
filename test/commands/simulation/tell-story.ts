/**
 * One story: processes on one event store, clients that ask for changes, and a seed that decides what fails, what stalls,
 * which answers are lost and which process dies. Nothing waits for real time: whoever pauses goes on when the seed says so.
 */
import { expect } from 'chai'
import type { Caller } from '../../../src/commands/command.ts'
import { idempotency } from '../../../src/commands/support/idempotency.ts'
import { derivedId } from '../../../src/commands/support/identifiers.ts'
import type { Written } from '../../../src/commands/support/record-appends.ts'
import {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  Unavailable,
} from '../../../src/domain/errors.ts'
import { readModelProjections } from '../../../src/projections/read-model-projections.ts'
import { webhooksProjection } from '../../../src/webhooks/fill-outbox.ts'
import { create } from '../../support/given.ts'
import {
  memoryEventStore,
  memoryLog,
  type Interference,
  type MemoryLog,
} from '../../support/memory-event-store.ts'
import { memoryReadSide, type MemoryReadSide } from '../../support/memory-read-side.ts'
import { caller, manualClock, writeSide } from '../../support/write-side.ts'
import { chancesOf } from './chances.ts'
import { followInStory, type Fate, type FollowingInStory } from './follow-in-story.ts'
import { allDefinitions, outboxInStory, subscribeInStory, type OutboxInStory } from './outbox-in-story.ts'
import { anyDoing, VALUES, type Request } from './requests.ts'

const [CLIENTS, REQUESTS] = [4, 6]
const REFUSALS = [Invalid, Conflict, Forbidden, NotFound, PreconditionFailed]

export interface Story {
  readonly log: MemoryLog
  readonly requests: readonly Request[]
  readonly deaths: number
  /** One process at a time; otherwise two. */
  readonly alone: boolean
  /** Position of the last event before everything was calm. */
  readonly lastStep: number
  /** Unique values that could not be had when nothing failed any more. */
  readonly refusedValues: readonly string[]
  readonly models: MemoryReadSide
  readonly outbox: OutboxInStory
  /** How often a projection was parked, and how often its store failed it. */
  readonly parked: number
  readonly troubles: number
}

interface Process {
  readonly followers: readonly FollowingInStory[]
  readonly side: ReturnType<typeof writeSide>
  readonly requests: ReturnType<typeof idempotency>
  readonly died: Promise<never>
  die(): void
}

class Died extends Error {}

export async function tellStory(seed: number): Promise<Story> {
  const chances = chancesOf(seed)
  const { random, chance, pick } = chances
  const clock = manualClock()
  const log = memoryLog()
  const models = memoryReadSide(allDefinitions)
  const outbox = outboxInStory(chances)
  const subscribe = subscribeInStory(chances)
  const alone = seed % 2 === 1
  let calm = false
  let [deaths, parked, troubles] = [0, 0, 0]

  // Whoever pauses goes on when the seed says so.
  const paused: (() => void)[] = []
  const pause = () => (calm ? Promise.resolve() : new Promise<void>((resolve) => void paused.push(resolve)))
  const turns = async (work: Promise<unknown>) => {
    let working = true
    const ended = () => (working = false)
    work.then(ended, ended)
    for (let idle = 0; working;) {
      await new Promise((resolve) => setImmediate(resolve))
      idle = paused.length > 0 ? 0 : idle + 1
      if (idle > 100) throw new Error(`seed ${seed}: everyone waits for someone else`)
      paused.splice(Math.floor(random() * paused.length), 1)[0]?.()
      clock.pass(1)
      if (!calm && chance(0.008)) replaceOne()
      if (chance(0.2)) models.fanOutOne()
      if (chance(0.02)) for (const { resume } of pick(processes).followers) resume()
      if (!calm && chance(0.02)) subscribe(memoryEventStore({ log }), clock.now())
    }
    await work
  }

  const checkedModels: typeof models.store = {
    ...models.store,
    async apply(work, position) {
      await models.store.apply(work, position)
      if (models.position('search') > models.position('records'))
        throw new Error('search has run ahead of the records that it reads')
    },
  }

  let started = 0
  const start = (): Process => {
    let alive = true
    const death = Promise.withResolvers<never>()
    death.promise.catch(() => {})
    /** A call to the store: it takes its time, may fail, and never comes back to a process that has died. */
    const call = async (failure: number) => {
      while (chance(0.3)) await pause()
      if (!alive) await new Promise<never>(() => {})
      if (!calm && chance(failure)) throw new Unavailable('the store fails')
    }
    const interference: Interference = {
      before: () => call(0.03),
      after: () => call(0.03),
      reading: () => call(0.01),
      read: () => call(0),
    }
    const number = ++started
    const readModels = {
      ...models,
      // Some turns of the world are waited for, and no more.
      async reached(position: number) {
        for (let waited = 0; models.position('search') < position; waited++) {
          if (waited > (calm ? 1_000 : 10)) return false
          await (calm ? new Promise((resolve) => setImmediate(resolve)) : pause())
        }
        return true
      },
      status: async () => [],
      close: async () => {},
    }
    const side = writeSide({ log, interference, clock, process: number, onlyWriter: alone, readModels })
    const fate: Fate = {
      chances,
      isCalm: () => calm,
      call,
      pause,
      onParked: () => parked++,
      onTrouble: () => troubles++,
    }
    const { events } = side
    const projections = readModelProjections(allDefinitions)
    const followers = [
      followInStory({ events, store: checkedModels, projections, fate }),
      followInStory({
        events,
        store: outbox.filledBy(events, fate),
        projections: [webhooksProjection(allDefinitions)],
        fate,
      }),
    ]
    return {
      side,
      followers,
      requests: idempotency({ events, now: clock.now, answers: side.answers }),
      died: death.promise,
      die() {
        alive = false
        deaths++
        death.reject(new Died())
      },
    }
  }
  const processes = Array.from({ length: alone ? 1 : 2 }, start)
  const replaceOne = () => {
    const index = Math.floor(random() * processes.length)
    processes[index]!.die()
    processes[index] = start()
  }

  const known: string[] = []
  const requests: Request[] = []

  const send = async ({ name, doing, repeatable }: Request): Promise<Request['answer']> => {
    const { side, requests: once, died } = pick(processes)
    const by = caller({ correlation: name, command: derivedId(`${name}/${clock.elapsed()}`) })
    const run = async (asking: Caller) => doing(asking)(side.write)
    const answering = repeatable
      ? once
          .once({ caller: by, idempotencyKey: name, fingerprint: name }, async (asking) => {
            const written = await run(asking)
            const unchanged = written.unchanged ? { changedNothing: true } : {}
            return { status: 200, headers: {}, body: JSON.stringify(answerOf(written)), ...unchanged }
          })
          .then(({ body }) => JSON.parse(body) as Exclude<Request['answer'], 'refused'>)
      : run(by).then(answerOf)
    try {
      return await Promise.race([answering, died])
    } catch (error) {
      answering.catch(() => {})
      if (REFUSALS.some((refusal) => error instanceof refusal)) return 'refused'
      if (error instanceof Unavailable || error instanceof Died) return undefined
      throw error
    }
  }

  /** Sends until there is an answer; what may be repeated may also be sent twice at once. */
  const ask = async (request: Request) => {
    const { repeatable } = request
    for (let attempt = 0; attempt < (repeatable ? 3 : 1) && !request.answer; attempt++) {
      if (repeatable && chance(0.2)) request.twice = true
      const answers = await Promise.all(request.twice ? [send(request), send(request)] : [send(request)])
      const told = answers.filter((answer) => answer !== undefined)
      const done = told.find((answer) => answer !== 'refused')
      for (const answer of told)
        if (done && answer !== 'refused') expect(answer, `${request.name}: two answers`).to.deep.equal(done)
      const answer = done ?? told[0]
      if (answer) request.answer = answer
      if (done && !known.includes(done.key)) known.push(done.key)
    }
  }

  const client = async (name: string) => {
    for (let number = 0; number < REQUESTS; number++) {
      const doing = anyDoing(chances, known)
      const request: Request = { name: `${name}/${number}`, doing, repeatable: chance(0.5) }
      requests.push(request)
      await ask(request)
    }
  }
  await turns(Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(`early ${number}`))))
  // Long enough for claims that nothing bears out to be taken over, and requests that are now repeated to be old.
  clock.pass(700_000)
  const unanswered = requests.filter(({ answer, repeatable }) => repeatable && !answer)
  await turns(
    Promise.all([
      ...unanswered.map(ask),
      ...Array.from({ length: CLIENTS }, (_, number) => client(`late ${number}`)),
    ]),
  )
  // Nothing fails any more: every value that no record has can be had.
  calm = true
  clock.pass(700_000)
  const lastStep = log.rows.length
  const refusedValues: string[] = []
  const taking = VALUES.map(async (ExternalId) => {
    const by = { correlation: ExternalId, command: derivedId(ExternalId) }
    const outcome = await create(
      'tenant',
      { Name: 'Zoë', ExternalId },
      by,
    )(start().side.write).catch((error: unknown) => error)
    if (outcome instanceof Conflict) refusedValues.push(ExternalId)
    else if (outcome instanceof Error) throw outcome
  })
  await turns(Promise.all(taking))
  // What could not be handled can be now; and everything that happened is shown.
  const reached = () => Math.min(models.position('search'), outbox.position())
  const followers = () => processes.flatMap((process) => process.followers)
  for (let waited = 0; reached() < log.rows.length; waited++) {
    if (waited > 1_000) throw new Error(`the projections stay at ${reached()}`)
    for (const go of paused.splice(0)) go()
    for (const { resume } of followers()) resume()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await models.store.settled()
  for (const go of paused.splice(0)) go()
  await Promise.all(followers().map(({ stop }) => stop()))
  return { log, requests, deaths, alone, lastStep, refusedValues, models, outbox, parked, troubles }
}

const answerOf = ({ key, state }: Written) => ({ key, version: state.version, fields: state.fields })
