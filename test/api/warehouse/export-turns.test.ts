/** Whose export runs, who waits, and who gives way (quality L3). */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import express from 'express'
import { askerOf, exportTurns, type ExportTurns } from '../../../src/api/warehouse/export-turns.ts'
import { setArrival, streamChunks } from '../../../src/api/http/send.ts'
import { lookAfterUnread, unreadAnswers, type UnreadAnswers } from '../../../src/api/http/unread.ts'
import { Busy } from '../../../src/domain/errors.ts'
import type { Principal } from '../../../src/identity/principal.ts'

describe('turns of exports', () => {
  let now: number
  let turns: ExportTurns
  /** Names of those that run, in the order in which they began. */
  let runs: string[]
  let refused: string[]

  beforeEach(() => {
    now = 0
    runs = []
    refused = []
    turns = exportTurns({ elapsed: () => now, atOnce: 4 })
  })

  /** An export `ann-1` of the company `ann`. */
  const begin = (name: string) => {
    let finish = () => {}
    let goes = () => {}
    let stalledSince = Infinity
    const asker = {
      company: name.split('-')[0]!,
      stalledMs: () => Math.max(0, now - stalledSince),
      end: () => finish(),
      onceGone: (left: () => void) => void (goes = left),
    }
    const run = turns.run(asker, async () => {
      runs.push(name)
      await new Promise<void>((done) => (finish = done))
      runs.splice(runs.indexOf(name), 1)
    })
    run.catch((error: unknown) => {
      expect(error).to.be.instanceOf(Busy)
      refused.push(name)
    })
    return { finish: () => finish(), leave: () => goes(), stall: () => void (stalledSince = now) }
  }
  const many = (company: string, count: number) =>
    Array.from({ length: count }, (_, i) => begin(`${company}-${i + 1}`))
  const settled = () => nextTurn()

  it('are taken at once while there are any, and then in the order of asking', async () => {
    const [first] = [...many('ann', 2), ...many('bea', 2), ...many('cem', 2)]
    await settled()
    expect(runs).to.deep.equal(['ann-1', 'ann-2', 'bea-1', 'bea-2'])
    first!.finish()
    await settled()
    expect(runs).to.deep.equal(['ann-2', 'bea-1', 'bea-2', 'cem-1'])
  })

  it('are never all of one company, however many it asks for', async () => {
    many('ann', 10)
    await settled()
    expect(runs).to.deep.equal(['ann-1', 'ann-2', 'ann-3'])
    begin('bea-1')
    await settled()
    expect(runs).to.include('bea-1')
  })

  it('are next of the company that has the fewest', async () => {
    const [first] = many('ann', 5)
    many('bea', 1)
    many('cem', 1)
    await settled()
    first!.finish()
    await settled()
    expect(runs).to.deep.equal(['ann-2', 'ann-3', 'bea-1', 'cem-1'])
  })

  it('are for one company where there is but one turn', async () => {
    turns = exportTurns({ elapsed: () => now, atOnce: 1 })
    const [first] = many('ann', 2)
    await settled()
    expect(runs).to.deep.equal(['ann-1'])
    first!.finish()
    await settled()
    expect(runs).to.deep.equal(['ann-2'])
  })

  it('are waited for no longer than 10 s', async () => {
    many('ann', 4)
    now = 9_999
    turns.look()
    await settled()
    expect(refused).to.deep.equal([])
    now = 10_000
    turns.look()
    await settled()
    expect([runs, refused]).to.deep.equal([['ann-1', 'ann-2', 'ann-3'], ['ann-4']])
  })

  it('are waited for by 20 of a company and by 100 in all', async () => {
    many('ann', 24)
    await settled()
    expect(refused).to.deep.equal(['ann-24'])
    for (const company of ['bea', 'cem', 'dan', 'eve', 'fay']) many(company, 20)
    await settled()
    expect(refused.filter((name) => !name.startsWith('ann'))).to.have.length(19)
  })

  it('are not waited for by who has gone', async () => {
    const [first, second, third] = [...many('ann', 3), ...many('bea', 3)].slice(2)
    await settled()
    second!.leave() // runs already
    third!.leave()
    first!.finish()
    await settled()
    expect([runs, refused]).to.deep.equal([['ann-1', 'ann-2', 'bea-1', 'bea-3'], ['bea-2']])
  })

  it('are taken from who has not read for 8 s when others wait', async () => {
    const [one, two] = many('ann', 3)
    begin('bea-1')
    one!.stall()
    now = 1
    two!.stall()
    await settled()
    now = 8_001
    turns.look()
    await settled()
    expect(runs, 'nobody waits').to.have.length(4)
    begin('bea-2')
    now = 8_002
    turns.look()
    turns.look()
    await settled()
    expect(runs).to.deep.equal(['ann-2', 'ann-3', 'bea-1', 'bea-2'])
  })

  it('are not taken from others when the own company has its share', async () => {
    begin('bea-1').stall()
    many('ann', 4)
    now = 8_000
    turns.look()
    await settled()
    expect(runs).to.deep.equal(['bea-1', 'ann-1', 'ann-2', 'ann-3'])
  })
})

describe('an export that is not read', () => {
  let now: number
  let server: Server
  let unread: UnreadAnswers
  let asked: string[]
  let begun: string[]
  const clients: Socket[] = []
  let turns: ExportTurns

  beforeEach(async () => {
    now = 0
    asked = []
    begun = []
    const app = express()
    unread = unreadAnswers({ elapsed: () => now, most: Infinity })
    turns = exportTurns({ elapsed: () => now, atOnce: 1 })
    lookAfterUnread(app, unread)
    app.get('/:company', async (request, response) => {
      setArrival(response, { id: 'x', at: 0, now: 0, common: [], more: [] })
      response.locals.principal = { company: request.params.company } as Principal
      asked.push(request.params.company)
      const pieces = async function* () {
        begun.push(request.params.company)
        for (let i = 0; i < 1_000; i++) yield 'x'.repeat(65_536)
      }
      await turns.run(askerOf(response), () => streamChunks(response, {}, 'text/plain', pieces()))
    })
    server = createServer(app as never)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy()
    server.close()
  })

  const ask = async (company: string): Promise<Socket> => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    clients.push(client)
    client.pause()
    client.write(`GET /${company} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return (await accepted)[0]
  }
  const until = async (holds: () => boolean) => {
    while (!holds()) await nextTurn()
  }

  it('gives way to who waits, and only to him', async () => {
    const first = await ask('ann')
    await until(() => begun.length === 1 && first.writableLength > 0)
    await until(() => {
      now += 1_000
      unread.look()
      return unread.stalledMs(first) >= 8_000
    })
    turns.look()
    expect(first.destroyed, 'nobody waits').to.equal(false)
    const second = await ask('bea')
    await until(() => asked.length === 2)
    turns.look()
    await until(() => begun.length === 2)
    expect(begun).to.deep.equal(['ann', 'bea'])
    expect(first.destroyed).to.equal(true)
    expect(second.destroyed).to.equal(false)
  })

  it('leaves its turn when its client goes', async () => {
    const first = await ask('ann')
    await until(() => begun.length === 1)
    const second = await ask('bea')
    clients[0]!.destroy()
    await until(() => begun.length === 2)
    expect([first.destroyed, second.destroyed]).to.deep.equal([true, false])
  })
})
