import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import express from 'express'
import { sendJson, setArrival, streamChunks } from '../../src/api/send.ts'

/** More than the buffers of both ends of a connection hold. */
const LONG = JSON.stringify('x'.repeat(16_000_000))

describe('an answer that is not taken', () => {
  let server: Server
  let client: Socket
  let served: Socket | undefined

  beforeEach(async () => {
    served = undefined
    const app = express()
    app.use((_request, response, next) => {
      setArrival(response, { id: 'x', at: 0, common: [], more: [] })
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
          for (let i = 0; i < 1_000; i++) yield 'x'.repeat(65_536)
        })(),
      ),
    )
    server = createServer(app as never)
    server.on('connection', (socket) => (served = socket))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterEach(() => {
    client.destroy()
    server.close()
  })

  const ask = (...paths: string[]) => {
    client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.pause()
    client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  }

  const until = async (holds: () => boolean) => {
    while (!holds()) await nextTurn()
  }

  for (const paths of [['/long'], ['/pieces'], ['/short', '/long'], ['/short', '/short', '/pieces']])
    it(`ends its connection after a minute: ${paths.join(', ')}`, async () => {
      ask(...paths)
      // Until both ends' buffers are full it is taken, and there is no limit.
      await until(() => served?.timeout === 60_000)
    })

  it('does not once it is taken', async () => {
    ask('/pieces')
    await until(() => served?.timeout === 60_000)
    client.resume()
    await until(() => served?.timeout !== 60_000 && served?.writableLength === 0)
  })
})
