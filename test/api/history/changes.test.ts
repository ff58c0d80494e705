/** The feed of changes: everything once, in order, whoever writes and whatever restarts. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { testService, type Answer, type Data, type TestService } from '../../support/service.ts'

describe('the feed of changes', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const changes = async (object: string, since?: string, more = '') =>
    service.get(`${object}/changes?${since === undefined ? '' : `since=${since}`}${more}`)
  const next = (answer: Answer) => answer.json['Next'] as string
  const now = async (object: string) => next(await changes(object, 'now'))
  const ids = (answer: Answer) => answer.list.map(({ Id }) => Id)
  const gone = (Id: string) => ({ Id, IsDeleted: true })

  /** Follows the feed until it has nothing more to tell. */
  const follow = async (object: string, since?: string, pageSize = 100) => {
    const items: Data[] = []
    let token = since
    for (;;) {
      const answer = await changes(object, token, `&pageSize=${pageSize}`)
      expect(answer.status, answer.text).to.equal(200)
      items.push(...answer.list)
      token = next(answer)
      if (!answer.json['HasMore']) return { items, token }
    }
  }

  it('tells records as they are, in the order of their last change', async () => {
    const since = await now('building')
    const [one, two] = [
      await service.create('building', { Name: 'One' }),
      await service.create('building', { Name: 'Two' }),
    ]
    const changed = (await service.patch(`building/${one.Id}`, { City: 'Graz' })).data
    const answer = await changes('building', since)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.json).to.have.all.keys('Success', 'Data', 'Next', 'HasMore')
    expect(answer.list).to.deep.equal([two, changed])
    expect(answer.json['HasMore']).to.equal(false)
    const after = await changes('building', next(answer))
    expect(after.list).to.deep.equal([])
    await service.patch(`building/${two.Id}`, { City: 'Linz' })
    expect(ids(await changes('building', next(after)))).to.deep.equal([two.Id])
  })

  it('tells what is deleted and what is restored', async () => {
    const kept = await service.create('unit', { Number: 'kept' })
    const since = await now('unit')
    const brief = await service.create('unit', { Number: 'brief' })
    await service.delete(`unit/${kept.Id}`)
    await service.delete(`unit/${brief.Id}`)
    const answer = await changes('unit', since)
    expect(answer.list).to.deep.equal([gone(kept.Id), gone(brief.Id)])
    const back = (await service.post(`unit/${kept.Id}/restore`)).data
    expect((await changes('unit', next(answer))).list).to.deep.equal([back])
  })

  it('begins at the beginning without a token, and comes in pages', async () => {
    const all = await follow('building')
    const paged = await follow('building', undefined, 1)
    expect(paged.items).to.deep.equal(all.items)
    expect(paged.items.length).to.be.greaterThan(1)
    const first = await changes('building', undefined, '&pageSize=1')
    expect([first.list.length, first.json['HasMore']]).to.deep.equal([1, true])
  })

  it('is of one object only', async () => {
    const since = await now('tenant')
    await service.create('building', { Name: 'other' })
    const tenant = await service.create('tenant', { Name: 'mine' })
    expect(ids(await changes('tenant', since))).to.deep.equal([tenant.Id])
  })

  it('refuses tokens that are not its own, and says so', async () => {
    const token = await now('tenant')
    const forged = Buffer.from(token, 'base64url')
    forged[7]! ^= 1
    for (const bad of [
      'x',
      `${token}x`,
      token.slice(1),
      token.toUpperCase(),
      forged.toString('base64url'),
      await now('building'),
      '',
    ]) {
      const answer = await changes('tenant', bad)
      expect(answer.status, bad).to.equal(400)
      expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['since'])
    }
    expect((await changes('tenant', token, `&since=${token}`)).status).to.equal(400)
    expect((await changes('tenant', token, '&page=2')).status).to.equal(400)
    expect((await changes('nope')).status).to.equal(404)
    expect((await service.post('tenant/changes', {})).status).to.equal(405)
  })

  it('misses nothing and repeats no version while many write', async function () {
    this.timeout(60_000)
    const since = await now('lead')
    const told: Data[] = []
    const seen = new Map<string, string>()
    let token = since
    let writing = true
    const reading = (async () => {
      for (let last = false; ;) {
        const done = !writing
        const answer = await changes('lead', token, '&pageSize=7')
        told.push(...answer.list)
        token = next(answer)
        if (answer.json['HasMore']) continue
        if (last) return
        last = done
      }
    })()
    const deleted = new Set<string>()
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; n < 15; n++) {
          const { Id } = await service.create('lead', { Name: `${writer}-${n}` })
          await service.patch(`lead/${Id}`, { Name: `${writer}-${n} again` })
          if (n % 3 === 0) {
            await service.delete(`lead/${Id}`)
            deleted.add(Id)
          }
        }
      }),
    )
    writing = false
    await reading
    for (const item of told) {
      const text = JSON.stringify(item)
      expect(seen.get(item.Id), text).not.to.equal(text)
      seen.set(item.Id, text)
    }
    // What a client that follows the feed holds in the end is what the service holds.
    expect(seen.size).to.equal(120)
    for (const [id, text] of seen) {
      const { status, data } = await service
        .get(`lead/${id}`)
        .then((answer) => (answer.status === 200 ? answer : { status: answer.status, data: gone(id) }))
      expect(status).to.equal(deleted.has(id) ? 404 : 200)
      expect(JSON.parse(text)).to.deep.equal(data)
    }
  })

  it('goes on after a restart, and after read models and journal are built anew', async () => {
    const since = await now('tenant')
    const one = await service.create('tenant', { Name: 'before' })
    const first = await changes('tenant', since)
    await service.restart()
    const two = await service.create('tenant', { Name: 'after' })
    expect(ids(await changes('tenant', since))).to.deep.equal([one.Id, two.Id])
    await service.stop()
    for (const name of readdirSync(service.dataDir))
      if (name.startsWith('read-models-')) rmSync(join(service.dataDir, name))
    service.inEventFile('DELETE FROM journal')
    await service.restart()
    expect(ids(await changes('tenant', next(first)))).to.deep.equal([two.Id])
  })

  it('says when a token is later than the store, which was restored from a backup', async () => {
    const restored = await testService()
    const early = await testService()
    try {
      await restored.create('tenant', { Name: 'lost' })
      const token = (await restored.get('tenant/changes?since=now')).json['Next'] as string
      // A store that has lost its end: the same keys, fewer events.
      await restored.stop()
      restored.inEventFile(`DELETE FROM events WHERE position = (SELECT max(position) FROM events)`)
      for (const name of readdirSync(restored.dataDir))
        if (name.startsWith('read-models-')) rmSync(join(restored.dataDir, name))
      await restored.restart()
      const answer = await restored.get(`tenant/changes?since=${token}`)
      expect([answer.status, answer.error.Code]).to.deep.equal([410, 'NOT_FOUND'])
      // And a token of another service is of none.
      expect((await early.get(`tenant/changes?since=${token}`)).status).to.equal(400)
    } finally {
      await restored.discard()
      await early.discard()
    }
  })

  it('has logged nothing', () => expect(service.logged).to.deep.equal([]))
})

describe('the feed of changes over read models that have lost an event', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const feed = () => service.get('building/changes')
  const readModelFiles = () => readdirSync(service.dataDir).filter((name) => name.startsWith('read-models-'))
  const inReadModels = (sql: string) => {
    const db = new DatabaseSync(
      join(
        service.dataDir,
        readModelFiles().find((name) => name.endsWith('.db'))!,
      ),
    )
    db.exec(sql)
    db.close()
  }

  it('waits for the record that is not shown as it last was, and does not leave it out', async () => {
    const changed = await service.create('building', { Name: 'changed' })
    const made = await service.create('building', { Name: 'made' })
    const deleted = await service.create('building', { Name: 'deleted' })
    await service.patch(`building/${changed.Id}`, { City: 'Graz' })
    await service.delete(`building/${deleted.Id}`)
    const told = await feed()
    // They say that they have come as far as ever.
    for (const lost of [
      `UPDATE record_building SET version = 1 WHERE id = '${changed.Id}'`,
      `DELETE FROM record_building WHERE id = '${made.Id}'`,
      `UPDATE record_building SET deleted = 0, version = 1 WHERE id = '${deleted.Id}'`,
    ]) {
      await service.stop()
      inReadModels(lost)
      await service.restart()
      const answer = await feed()
      expect([answer.status, answer.headers.get('Retry-After')], lost).to.deep.equal([503, '1'])
      await service.stop()
      for (const name of readModelFiles()) rmSync(join(service.dataDir, name))
      await service.restart()
    }
    expect((await feed()).list).to.deep.equal(told.list)
  })
})
