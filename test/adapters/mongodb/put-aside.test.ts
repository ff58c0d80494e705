/**
 * Records that the server refuses for what is in them, and how much it is sent at once: what FerretDB does otherwise than
 * MongoDB, told over the wire protocol in its place.
 */
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { mongoProjectionControl } from '../../../src/adapters/mongodb/read-models/projection-control.ts'
import { mongoProjectionStore } from '../../../src/adapters/mongodb/read-models/projection-store.ts'
import { mongoReadModels } from '../../../src/adapters/mongodb/read-models/read-models.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { ask } from '../../contracts/read-side/ask.ts'
import { applyAll, tale, timeline } from '../../contracts/read-side/tale.ts'
import { startFerretDb } from '../../engines/ferretdb/start.ts'
import { mongoWire, type Command, type MongoWireOptions } from '../../engines/mongo-wire.ts'
import { failureOf } from '../../engines/mongodb-openers.ts'
import { hasFerretDb, NO_FERRETDB } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { sampleDefinitions as definitions } from '../../support/sample-definitions.ts'

const suite = suiteOf('documents that MongoDB refuses', hasFerretDb ? undefined : NO_FERRETDB)

/** A record, as the adapter writes it. */
interface Written {
  readonly words?: readonly string[]
  readonly json?: string
}

/** Passes on to the server what it takes, and refuses the rest as MongoDB does, with the error of that code. */
const refusing = (isRefused: (document: Written) => boolean, code: number): Omit<MongoWireOptions, 'to'> => {
  const writesOf = ({ $name, documents, updates }: Command): [string, Document[]] | undefined =>
    $name === 'insert'
      ? ['documents', documents as Document[]]
      : $name === 'update'
        ? ['updates', updates as Document[]]
        : undefined
  const taken = (one: Document) => !isRefused((one['u'] ?? one) as Written)
  const errorsOf = (command: Command) =>
    (writesOf(command)?.[1] ?? []).flatMap((one, index) =>
      taken(one) ? [] : [{ index, code, errmsg: 'this document is refused' }],
    )
  return {
    onCommand(command) {
      const writeErrors = errorsOf(command)
      const isAll = writeErrors.length > 0 && writeErrors.length === writesOf(command)![1].length
      return isAll ? { n: 0, nModified: 0, writeErrors, ok: 1 } : undefined
    },
    onRequest(command) {
      if (errorsOf(command).length === 0) return command
      const [name, all] = writesOf(command)!
      return { ...command, [name]: all.filter(taken) }
    },
    onReply(command, reply) {
      const writeErrors = errorsOf(command)
      return writeErrors.length === 0 ? reply : { ...reply, writeErrors }
    },
  }
}
const CANNOT_BUILD_INDEX_KEYS = 201
const BSON_OBJECT_TOO_LARGE = 10_334
const manyWords = Array.from({ length: 50 }, (_, n) => `word${n}`).join(' ')

suite('MongoDB, by what it says of itself and of documents', function () {
  this.timeout(60_000)
  let server: Awaited<ReturnType<typeof startFerretDb>>
  let ends: (() => Promise<unknown>)[] = []
  let databases = 0
  before(async () => {
    server = await startFerretDb()
  })
  after(() => server.stop())
  afterEach(async () => {
    for (const end of ends.reverse()) await end()
    ends = []
  })

  const start = async (way: Omit<MongoWireOptions, 'to'>) => {
    const wire = await mongoWire({ ...way, to: { port: Number(new URL(server.url).port) } })
    const url = `mongodb://127.0.0.1:${wire.port}/put_aside_${++databases}`
    const troubles: string[] = []
    const store = await mongoProjectionStore({
      url,
      definitions,
      onTrouble: (message) => troubles.push(message),
    })
    await store.leading()
    const readModels = await mongoReadModels({ url, definitions })
    const control = mongoProjectionControl({ url, definitions, readModels })
    ends.push(
      () => wire.stop(),
      () => control.close(),
      () => readModels.close(),
      () => store.close(),
    )
    const story = tale({ definitions, time: timeline() })
    const tell = () => applyAll(store, story.untold())
    const numbersFound = async (search: string) =>
      (await ask({ readModels, definitions, company: story.company }, 'contract', { search })).records.map(
        ({ json }) => (JSON.parse(json) as Fields)['ContractNumber'],
      )
    const stands = async () => ({
      count: (await readModels.status()).find(({ name }) => name === 'search')?.putAside ?? 0,
      listed: await control.putAside!(story.company),
      ofOthers: await control.putAside!('another'),
    })
    return { numbersFound, readModels, stands, store, story, tell, troubles }
  }

  it('a record that is refused is shown without its words, listed, and holds up no other', async () => {
    const { numbersFound, readModels, stands, store, story, tell, troubles } = await start(
      refusing(({ words }) => (words?.length ?? 0) > 40, CANNOT_BUILD_INDEX_KEYS),
    )
    story.create('contract', { ContractNumber: 'before', Notes: 'word7' })
    const key = story.create('contract', { ContractNumber: 'much', Notes: manyWords })
    story.create('contract', { ContractNumber: 'after', Notes: 'word7' })
    await tell()
    const { company } = story
    expect(await numbersFound('word7')).to.deep.equal(['after', 'before'])
    expect((await ask({ readModels, definitions, company }, 'contract')).total).to.equal(3)
    expect((await readModels.get(company, 'contract', key))?.json).to.equal(JSON.stringify(story.served(key)))
    const listed = [{ projection: 'search', object: 'contract', key, message: 'this document is refused' }]
    expect(await stands()).to.deep.equal({ count: 1, listed, ofOthers: [] })
    expect(troubles).to.deep.equal([`${key} is put aside: search does not find it.`])

    // It stays aside while its words are not looked at again, and comes back with words that are taken.
    story.change(key, { Duration: 2 })
    await tell()
    expect(await stands()).to.include({ count: 1 })
    story.change(key, { Notes: 'word7 alone' })
    await tell()
    expect(await numbersFound('word7')).to.deep.equal(['after', 'much', 'before'])
    expect(await stands()).to.deep.equal({ count: 0, listed: [], ofOthers: [] })
    await store.settled()
  })

  it('a record that is refused when what it shows of another changes does not hold up the fan-out', async () => {
    const { numbersFound, stands, store, story, tell } = await start(
      refusing(({ words }) => (words?.length ?? 0) > 45, CANNOT_BUILD_INDEX_KEYS),
    )
    const tenant = story.create('tenant', { Name: 'Short' })
    const Notes = manyWords.split(' ').slice(0, 40).join(' ')
    story.create('contract', { ContractNumber: 'much', Tenant: tenant, Notes })
    story.create('contract', { ContractNumber: 'little', Tenant: tenant })
    await tell()
    story.change(tenant, { Name: 'A name of many more words than it had' })
    await tell()
    await store.settled()
    expect(await numbersFound('name')).to.deep.equal(['little'])
    expect(await stands()).to.include({ count: 1 })
  })

  it('an event whose record is refused without its words as well is at fault, and no other', async () => {
    const { store, story, tell, numbersFound } = await start(
      refusing(({ json }) => json?.includes('poison') ?? false, BSON_OBJECT_TOO_LARGE),
    )
    story.create('contract', { ContractNumber: 'fine' })
    await tell()
    story.create('contract', { ContractNumber: 'poison' })
    expect(await failureOf(applyAll(store, story.untold()))).to.include({ code: BSON_OBJECT_TOO_LARGE })
    story.create('contract', { ContractNumber: 'fine too' })
    await tell()
    expect(await numbersFound('fine')).to.deep.equal(['fine too', 'fine'])
  })

  for (const [name, isFerretDb, most] of [
    ['MongoDB', false, 1_000],
    ['FerretDB', true, 20],
  ] as const)
    it(`${name} is sent up to ${most} documents at once`, async () => {
      const sent: number[] = []
      const { store, story } = await start({
        onCommand({ $name, insert, documents }) {
          if ($name === 'insert' && String(insert).startsWith('records_tenant'))
            sent.push((documents as Document[]).length)
          return undefined
        },
        onReply(command, reply) {
          if (command.$name !== 'buildInfo' || isFerretDb) return reply
          const { ferretdbVersion: _, ...others } = reply
          return others
        },
      })
      for (let n = 0; n < 80; n++) story.create('tenant', { Name: `Tenant ${n}` })
      const steps = story.untold().map(({ records }) => records)
      await store.apply([{ projection: 'records', steps }], steps.at(-1)!.position)
      expect(sent).to.deep.equal(isFerretDb ? [20, 20, 20, 20] : [80])
    })
})
