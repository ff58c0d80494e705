import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import type { Log } from '../../../src/ports/log.ts'
import { problemHandler, readsLag } from '../../../src/api/http/problems.ts'
import { setArrival } from '../../../src/api/http/send.ts'
import { Busy, Unavailable } from '../../../src/domain/errors.ts'

/** What is answered when a route throws, and the levels of its lines in the log. */
async function thrown(error: Error) {
  const lines: string[] = []
  const note = (level: string) => () => void lines.push(level)
  const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  const app = express()
  app.use((_request, response) => {
    setArrival(response, { id: 'x', at: 0, now: 0, common: [], more: [] })
    throw error
  })
  app.use(problemHandler(log, () => false))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const { Error: shown } = (await answer.json()) as { Error: { Message: string } }
    return { status: answer.status, wait: answer.headers.get('Retry-After'), says: shown.Message, lines }
  } finally {
    server.close()
  }
}

describe('a route that throws because', () => {
  it('too much is under way says so, and is no fault in the log', async () => {
    const { status, wait, says, lines } = await thrown(new Busy('too many exports run already'))
    expect({ status, wait, says }).to.deep.equal({
      status: 503,
      wait: '1',
      says: 'too many exports run already; try again',
    })
    expect(lines).to.deep.equal(['debug'])
  })

  it('an engine is away tells the log why, and nobody else', async () => {
    const { status, wait, says, lines } = await thrown(new Unavailable('10.1.2.3 does not answer'))
    expect({ status, wait }).to.deep.equal({ status: 503, wait: '1' })
    expect(says).not.to.include('10.1.2.3')
    expect(lines).to.deep.equal(['warn'])
  })

  it('reads lag behind says so, without a stack that any client could cause', async () => {
    const { status, wait, lines } = await thrown(readsLag())
    expect({ status, wait, lines }).to.deep.equal({ status: 503, wait: '1', lines: ['debug'] })
  })

  it('of something unexpected likewise', async () => {
    const { status, says, lines } = await thrown(new TypeError('x is not a function'))
    expect({ status, says }).to.deep.equal({ status: 500, says: 'internal server error' })
    expect(lines).to.deep.equal(['error'])
  })
})
