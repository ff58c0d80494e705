/** Clients that ask and do not read (quality L3): what they hold, and for how long. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import express from 'express'
import { inTurn } from '../../../src/api/http/in-turn.ts'
import { sendJson, setArrival, streamChunks } from '../../../src/api/http/send.ts'
import { lookAfterUnread, unreadAnswers, type UnreadAnswers } from '../../../src/api/http/unread.ts'

/** More than the buffers of both ends of a connection hold. */
const LONG = JSON.stringify('x'.repeat(16_000_000))
/** All connections together may hold so much. */
const MOST = 20_000_000
const MINUTE = 60_000

describe('an answer that is not taken', () => {
  let server: Server
  let unread: UnreadAnswers
  let now: number
  let begun: string[]
  /** How many streams have let go of what they read from. */
  let left: number
  const clients: Socket[] = []

  beforeEach(async () => {
    now = 0
    begun = []
    left = 0
    const app = express()
    unread = unreadAnswers({ elapsed: () => now, most: MOST })
    lookAfterUnread(app, unread)
    app.use((request, response, next) => {
      begun.push(request.path)
      setArrival(response, { id: 'x', at: 0, now: 0, common: [], more: [] })
      next()
    })
    app.get('/short', (_request, response) => sendJson(response, 200, '1'))
    app.get('/long', (_request, response) => sendJson(response, 200, LONG))
    app.get('/pieces', (_request, response) =>
      streamChunks(
        response,
        {},
        'text/plain',
        (async function* () {
          try {
            for (let i = 0; i < 1_000; i++) yield 'x'.repeat(65_536)
          } finally {
            left++
          }
        })(),
      ),
    )
    server = createServer(inTurn(app as never))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy()
    server.close()
  })

  /** A client that asks for all at once and reads nothing; the connection as the server has it. */
  const ask = async (...paths: string[]) => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    clients.push(client)
    client.pause()
    client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
    const [served] = await accepted
    await until(() => begun.length > 0 && served.writableLength > 0)
    return { client, served }
  }

  const until = async (holds: () => boolean) => {
    while (!holds()) await nextTurn()
  }

  /** The time passes, and is looked at in between. */
  const pass = (ms: number) => {
    now += ms
    unread.look()
  }

  for (const paths of [['/long'], ['/pieces'], ['/short', '/long'], ['/short', '/short', '/pieces']])
    it(`ends its connection after a minute: ${paths.join(', ')}`, async () => {
      const { served } = await ask(...paths)
      pass(MINUTE - 1)
      expect(served.destroyed).to.equal(false)
      // Some of it may have been on its way still.
      await until(() => {
        pass(MINUTE)
        return served.destroyed
      })
      await until(() => left === Number(paths.includes('/pieces')))
    })

  for (const path of ['/long', '/pieces'])
    it(`does not while some of it is taken now and then: ${path}`, async () => {
      const { client, served } = await ask(path)
      for (let i = 0; i < 5; i++) {
        pass(MINUTE - 1)
        client.resume()
        await until(() => unread.stalledMs(served) === 0)
        client.pause()
        pass(0)
        expect(served.destroyed).to.equal(false)
      }
    })

  it('does not count once it is taken', async () => {
    const { client, served } = await ask('/long')
    client.resume()
    await until(() => served.writableLength === 0)
    pass(2 * MINUTE)
    expect([served.destroyed, unread.stalledMs(served)]).to.deep.equal([false, 0])
  })

  it('ends its connection sooner where others hold the room: the one that stands longest', async () => {
    const first = await ask('/long')
    await until(() => {
      const stood = unread.stalledMs(first.served) >= 1_000
      pass(1_000)
      return stood
    })
    const second = await ask('/long')
    pass(2_000)
    expect(first.served.destroyed).to.equal(false)
    pass(3_000)
    expect([first.served.destroyed, second.served.destroyed]).to.deep.equal([true, false])
  })

  it('keeps the requests after it waiting: none is begun before the one before is taken', async () => {
    const { client, served } = await ask('/short', '/long', '/long', '/short')
    for (let i = 0; i < 20; i++) await nextTurn()
    expect(begun).to.deep.equal(['/short', '/long'])
    client.resume()
    await until(() => begun.length === 4)
    await until(() => served.writableLength === 0)
  })

  it('takes the requests after it with it', async () => {
    const { client, served } = await ask('/long', '/short')
    client.destroy()
    await until(() => served.destroyed)
    for (let i = 0; i < 20; i++) await nextTurn()
    expect(begun).to.deep.equal(['/long'])
  })

  it('is not begun when only its head was asked for', async () => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/pieces`, {
      method: 'HEAD',
    })
    expect([answer.status, left]).to.deep.equal([200, 1])
  })
})
