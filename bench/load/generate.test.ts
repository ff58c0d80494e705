import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { generateLoad, type LoadPlan } from './generate.ts'

describe('the load generator', () => {
  let server: Server | undefined
  afterEach(() => server?.close().closeAllConnections())

  const listening = (answer: RequestListener) =>
    new Promise<number>((resolve) => {
      server = createServer(answer).listen(0, '127.0.0.1', () =>
        resolve((server!.address() as AddressInfo).port),
      )
    })
  const planFor = (port: number, requests: readonly string[]): LoadPlan => ({
    port,
    requests,
    connections: 3,
    seconds: 0,
    warmupSeconds: 0,
    once: true,
    keepAnswers: true,
  })
  const requests = Array.from({ length: 20 }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: test\r\n\r\n`)

  it('sends each request of its list once, over the connections it was given', async () => {
    const paths: string[] = []
    const connections = new Set<unknown>()
    const port = await listening(({ url, socket }, response) => {
      paths.push(url!)
      connections.add(socket)
      response.setHeader('Content-Length', 2).end('ok')
    })
    const result = await generateLoad(planFor(port, requests))
    expect(paths.sort()).to.deep.equal(requests.map((_, i) => `/${i}`).sort())
    expect(connections).to.have.length(3)
    expect(result).to.include({ answered: 20, errors: 0 })
    expect(result.answers).to.have.length(20)
  })

  it('counts what is not 2xx as an error and shows what was said', async () => {
    const port = await listening(({ url }, response) => {
      response.statusCode = url === '/7' ? 503 : 200
      response.setHeader('Content-Length', 4).end(url === '/7' ? 'full' : 'fine')
    })
    const { errors, examples } = await generateLoad(planFor(port, requests))
    expect(errors).to.equal(1)
    expect(examples[0]).to.match(/^HTTP\/1.1 503 .*full$/s)
  })

  it('counts a connection that breaks as an error, and ends', async () => {
    const port = await listening(({ socket }) => socket.destroy())
    const { errors, answered } = await generateLoad(planFor(port, requests))
    expect(errors).to.equal(3)
    expect(answered).to.equal(0)
  })

  it('counts answers without an expected header, and those with a watched one', async () => {
    const port = await listening(({ url }, response) => {
      if (url !== '/3') response.setHeader('X-Stored', '1')
      if (url === '/5') response.setHeader('X-Late', 'true')
      response.setHeader('Content-Length', 2).end('ok')
    })
    const plan = { ...planFor(port, requests), expectHeader: 'X-Stored', watchHeader: 'X-Late' }
    expect(await generateLoad(plan)).to.include({ without: 1, with: 1, errors: 0 })
  })
})
