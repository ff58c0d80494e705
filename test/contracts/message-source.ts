/** What every message source must do, with whatever broker. */
import { expect } from 'chai'
import {
  TakenOver,
  type MessageSource,
  type PublishedMessage,
  type Subscription,
} from '../../src/ports/sources/message-source.ts'

export interface SourceUnderTest {
  readonly source: MessageSource
  /** Of the broker. */
  readonly url: string
  /** Resolves when the broker has the messages. */
  publish(messages: readonly { readonly topic: string; readonly payload: string }[]): Promise<void>
  stop(): Promise<void>
}

/** @param saysTakenOver the broker says why it ends such a connection */
export function messageSourceContract(open: () => Promise<SourceUnderTest>, saysTakenOver: boolean): void {
  let tested: SourceUnderTest
  let clients = 0
  let subscription: Subscription

  before(async () => {
    tested = await open()
  })
  after(() => tested.stop())
  beforeEach(() => {
    const clientId = `client-${++clients}`
    subscription = {
      url: tested.url,
      clientId,
      user: undefined,
      password: undefined,
      topics: [`${clientId}/#`],
    }
  })

  const textOf = ({ payload }: PublishedMessage) => Buffer.from(payload).toString()
  const numbered = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => ({
      topic: `${subscription.clientId}/a`,
      payload: String(from + n),
    }))

  /** Takes until it is stopped; what it was given. */
  const taking = async (take: (messages: readonly PublishedMessage[]) => Promise<void> = async () => {}) => {
    const stopping = new AbortController()
    const subscribed = Promise.withResolvers<void>()
    const got: PublishedMessage[] = []
    const waiting: (() => void)[] = []
    const ended = tested.source.receive(
      subscription,
      {
        subscribed: subscribed.resolve,
        async take(messages) {
          await take(messages)
          got.push(...messages)
          for (const look of waiting) look()
        },
      },
      stopping.signal,
    )
    await Promise.race([subscribed.promise, ended])
    return {
      got,
      ended,
      until: (count: number) =>
        Promise.race([
          new Promise<void>((resolve) => {
            const look = () => got.length >= count && resolve()
            waiting.push(look)
            look()
          }),
          ended,
        ]),
      stop() {
        stopping.abort()
        return ended
      },
    }
  }

  it('hands over what is published, in order', async () => {
    const one = await taking()
    await tested.publish(numbered(50))
    await one.until(50)
    await one.stop()
    expect(one.got.map(textOf)).to.deep.equal(numbered(50).map(({ payload }) => payload))
    expect(one.got[0]!.topic).to.equal(`${subscription.clientId}/a`)
    expect(one.got.some(({ isRepeat }) => isRepeat)).to.equal(false)
  })

  it('hands over what came while nothing was connected', async () => {
    await (await taking()).stop()
    await tested.publish(numbered(100))
    const later = await taking()
    await later.until(100)
    await later.stop()
    expect(later.got.map(textOf)).to.deep.equal(numbered(100).map(({ payload }) => payload))
  })

  it('hands over again what was not taken, by the same delivery', async () => {
    const seen: PublishedMessage[] = []
    const failing = await taking(async (messages) => {
      seen.push(...messages)
      throw new Error('the disk is full')
    })
    const ended = failing.ended.then(
      () => 'resolved',
      (error: Error) => error.message,
    )
    await tested.publish(numbered(1))
    expect(await ended).to.equal('the disk is full')
    const later = await taking()
    await later.until(1)
    await later.stop()
    expect(later.got[0]).to.include({ delivery: seen[0]!.delivery, isRepeat: true })
    expect(textOf(later.got[0]!)).to.equal('0')
    const last = await taking()
    await tested.publish(numbered(1, 7))
    await last.until(1)
    await last.stop()
    expect(last.got.map(textOf)).to.deep.equal(['7'])
  })

  it('ends when another has connected by the same name', async () => {
    const first = await taking()
    const ended = first.ended.then(
      () => undefined,
      (error: unknown) => error,
    )
    const second = await taking()
    expect(await ended).to.be.instanceOf(saysTakenOver ? TakenOver : Error)
    await second.stop()
  })

  it('leaves nothing behind when it is forgotten', async () => {
    await (await taking()).stop()
    await tested.publish(numbered(3))
    await tested.source.forget(subscription)
    const later = await taking()
    await tested.publish(numbered(1, 9))
    await later.until(1)
    await later.stop()
    expect(later.got.map(textOf)).to.deep.equal(['9'])
  })
}
