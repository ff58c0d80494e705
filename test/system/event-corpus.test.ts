/**
 * Events of every shape that was ever stored can be read: `test/corpus` has one of each, frozen.
 *
 * A shape is the type of the event, what its data holds, and the schema of its metadata; events of business objects are of
 * one shape for each thing that can happen to them. When the service begins to store a shape that is not there, the last
 * test shows the file to add. Files are never changed and never removed: what was stored stays stored.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { recorded as readFromServer } from '../../src/adapters/eventstoredb/recorded.ts'
import { openEventLog } from '../../src/adapters/sqlite/events/event-log.ts'
import { openEventReader } from '../../src/adapters/sqlite/events/event-reader.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import type { EventMetadata, RecordedEvent } from '../../src/domain/events/event.ts'
import { isPack } from '../../src/domain/events/packs.ts'
import type { Fields } from '../../src/domain/json.ts'
import { objectOfKey } from '../../src/domain/records/key.ts'
import { absent, evolve, happeningOf } from '../../src/domain/records/record.ts'
import { nameOfStream, streamOf } from '../../src/domain/events/stream-name.ts'
import { ENVELOPE, schemaOf } from '../../src/domain/events/upcast.ts'
import { readModelProjections } from '../../src/projections/read-model-projections.ts'
import { imported, settled } from '../imports/import-support.ts'
import { client, newFolder, testService } from '../support/service.ts'
import { rowsOfFile } from '../support/sqlite-rows.ts'
import { contractBody } from './support/leasing.ts'

interface Stored {
  readonly stream: string
  readonly version: number
  readonly id: string
  readonly type: string
  readonly data: Fields
  readonly metadata: EventMetadata
}

/** A file of the corpus. `stored` is frozen; `now` is what it is read as, where that is not what was stored. */
interface Frozen {
  readonly stored: Stored
  readonly now?: Pick<RecordedEvent, 'data' | 'reason' | 'metadata'>
}

const FOLDER = join(import.meta.dirname, '../corpus')
const definitions = withInternal(loadDefinitions([join(import.meta.dirname, '../../definitions')]))
const files = readdirSync(FOLDER)
const corpus = files.map((name): Frozen => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Frozen)

/** What the shape is of: one business object stands for all. */
function kindOf(stored: Stored): string {
  const { type } = stored
  const definition = definitions.get(objectOfKey(nameIn({ stored })) ?? '')
  if (!definition || definition.internal) return type
  if (isPack({ stream: nameIn({ stored }), type })) return 'record.packed'
  return type.includes('.workflow.') ? 'record.workflow' : `record.${happeningOf(type)}`
}

/** The stream's name without its shard, which the first envelope had not. */
const nameIn = ({ stored: { stream, metadata } }: Frozen): string =>
  (metadata as { envelope?: number }).envelope === undefined ? stream : nameOfStream(stream)!
const reasonOf = (now: object): string | undefined => (now as { reason?: string }).reason

const isBusiness = (kind: string) => kind.startsWith('record.')
const members = (fields: object) => Object.keys(fields).sort().join()

/** Whether the corpus knows events of this kind that hold all that this one holds. */
function isKnown(event: Stored): boolean {
  const kind = kindOf(event)
  return corpus.some(({ stored }) => {
    const within = (one: object, other: object) =>
      Object.keys(one).every((name) => Object.hasOwn(other, name))
    const sameData = isBusiness(kind) || within(event.data, stored.data)
    const sameShape =
      stored.metadata.schema === event.metadata.schema && stored.metadata.envelope === event.metadata.envelope
    return kindOf(stored) === kind && sameData && sameShape
  })
}

describe('events of every shape that was ever stored', () => {
  it('are there, each under a name that tells its type', () => {
    expect(files.length).to.be.greaterThan(40)
    for (const [i, name] of files.entries())
      expect(name).to.match(new RegExp(`^${corpus[i]!.stored.type.replaceAll('.', '\\.')}(\\.\\d+)?\\.json$`))
  })

  const readAgain = (): RecordedEvent[] => {
    const folder = newFolder()
    const path = join(folder, 'events.db')
    openEventLog(path).close()
    const db = new DatabaseSync(path)
    const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    for (const [i, { stored }] of corpus.entries()) {
      const { version, id, type, data, metadata } = stored
      // Each in a stream of its own, as of some only a later event is here.
      const { company } = metadata
      const name = nameIn({ stored })
      const own = streamOf(company, `${name}${objectOfKey(name) === undefined ? `-${i}` : ''}`)
      insert.run(
        i + 2,
        own,
        1_000 * i + version,
        id,
        type,
        company,
        JSON.stringify(data),
        JSON.stringify(metadata),
      )
    }
    db.close()
    // Opened as the service opens it, so that what is kept beside the events understands them too.
    openEventLog(path).close()
    const reader = openEventReader(path)
    try {
      // Without the event that opens the store, which is in the corpus too.
      return reader.readAll(0, 10_000).filter(({ position }) => position > 1)
    } finally {
      reader.close()
      rmSync(folder, { recursive: true })
    }
  }

  it('are read in the newest shape, from the embedded file as from a server', () => {
    for (const [i, event] of readAgain().entries()) {
      const { stored, now = stored } = corpus[i]!
      expect(event.unreadable, files[i]).to.equal(undefined)
      expect([event.data, event.reason], files[i]).to.deep.equal([now.data, reasonOf(now)])
      expect(event.metadata, files[i]).to.deep.equal(now.metadata)
      expect([event.metadata.envelope, event.metadata.schema]).to.deep.equal([ENVELOPE, schemaOf(event.type)])
      const stream = streamOf(stored.metadata.company, nameIn({ stored }))
      const position = { commit: 5, prepare: 5 }
      const fromServer = readFromServer({
        ...{ id: stored.id, type: stored.type, stream, revision: 0, position, isJson: true },
        ...{ data: JSON.stringify(stored.data), metadata: JSON.stringify(stored.metadata) },
      })
      expect([fromServer?.data, fromServer?.metadata], files[i]).to.deep.equal([now.data, now.metadata])
    }
  })

  it('are understood by the records they are of, and by every projection', () => {
    const projections = readModelProjections(definitions)
    for (const event of readAgain()) {
      evolve(absent, event)
      for (const { project } of projections) project(event)
    }
  })

  it('are all shapes that the service stores', async function () {
    this.timeout(60_000)
    const service = await testService()
    try {
      const me = await service.get('identity/me')
      const tenant = await service.create('tenant', { Name: 'Ann', ExternalId: 'E-1' })
      const patch = { Name: 'Bea', ExternalId: 'E-2', Phone: null }
      await service.patch(`tenant/${tenant.Id}`, patch, { 'Daybook-Reason': 'why' })
      await service.delete(`tenant/${tenant.Id}`)
      await service.post(`tenant/${tenant.Id}/restore`)
      await service.post('tenant', { Name: 'Once' }, { 'Idempotency-Key': 'once' })
      const contract = await service.create('contract', { ...contractBody(), Tenant: tenant.Id })
      await service.post(`contract/${contract.Id}/workflow/submit`, { Comment: 'please' })
      const sensor = await service.create('sensor', { Name: 'Cellar' })
      const reading = { Sensor: sensor.Id, MeasuredAt: '2026-01-31T10:00:00Z', Value: 1 }
      await service.post('sensorreading/batch', { Records: [reading, {}, { ...reading, Raw: [1] }] })
      const token = await service.post('identity/tokens', { Name: 'Robot', Roles: ['system_admin'] })
      const robot = client(() => service.url, token.data['Token'] as string)
      const approved = await robot.post(`contract/${contract.Id}/workflow/approve`, { Comment: 'yes' })
      expect(approved.status, approved.text).to.equal(200)
      await service.post(`identity/tokens/${token.data.Id}/rotate`)
      await service.delete(`identity/tokens/${token.data.Id}`)
      const person = { Email: 'ann@example.org', Name: 'Ann', Password: 'correct horse battery staple' }
      const user = await service.post('identity/users', { ...person, Roles: ['editor'] })
      expect(user.status, user.text).to.equal(201)
      await service.patch(`identity/users/${user.data.Id}`, { Name: 'Bea' })
      const { Id: CompanyKey } = me.data['Company'] as { readonly Id: string }
      const login = { Email: person.Email, Password: person.Password, CompanyKey }
      expect((await service.post('identity/login', login)).status).to.equal(200)
      const hook = {
        Url: 'https://example.org/hook',
        Events: ['contract.*'],
        Secret: 'a-secret-of-32-characters-or-more',
      }
      expect((await service.post('webhooks', hook)).status).to.equal(201)
      const refused = await imported(service, 'tenant/import?commit=true', 'Name,Email\nAnn,x\nBea,\n')
      expect(refused['State']).to.equal('CompletedWithErrors')
      const cancelled = await imported(service, 'tenant/import', 'Nothing\nx\n')
      await service.post(`imports/${cancelled.Id}/cancel`)
      await imported(service, 'tenant/import', '<html></html>')
      const taken = await imported(service, 'tenant/import?commit=true', 'Name\nCora\n')
      const undo = await service.post(`imports/${taken.Id}/undo`, { Commit: true })
      await settled(service, undo.data.Id)
      const redo = await service.post(`imports/${undo.data.Id}/undo`, { Commit: true })
      await settled(service, redo.data.Id)
      const profile = { Name: 'Names', Object: 'tenant', Mapping: { Fields: { Name: { Column: 'Naam' } } } }
      const kept = await service.post('import-profiles', profile)
      await imported(service, `tenant/import?profile=${kept.data.Id}`, 'Naam\nDora\n')
      const source = { Kind: 'folder', Folder: 'office' }
      const schedule = {
        ...{ Name: 'Daily', Object: 'tenant', Profile: kept.data.Id, RunAs: 'editor' },
        ...{ Source: source, Cron: '0 6 * * *' },
      }
      const due = (await service.post('import-schedules', schedule)).data.Id
      await service.post(`import-schedules/${due}/run`)
      while ((await service.get(`import-schedules/${due}`)).data['LastRun'] === null) await turn(50)
      await service.delete(`import-schedules/${due}`)
      await service.put(`import-profiles/${kept.data.Id}`, { ...profile, Name: 'More names' })
      await service.delete(`import-profiles/${kept.data.Id}`)
      await service.get('audit')
      await service.get('audit/export')
      await service.stop()

      const all = rowsOfFile(
        join(service.dataDir, 'events.db'),
        'SELECT stream, version, id, type, data, metadata FROM events ORDER BY position',
      )
      const unknown = new Map<string, Frozen>()
      for (const row of all) {
        const { data, metadata, ...rest } = row as unknown as Stored & { data: string; metadata: string }
        const stored: Stored = {
          ...rest,
          data: JSON.parse(data) as Fields,
          metadata: JSON.parse(metadata) as EventMetadata,
        }
        if (!isKnown(stored)) unknown.set(`${kindOf(stored)} ${members(stored.data)}`, { stored })
      }
      const toAdd = [...unknown.values()].map((frozen) => JSON.stringify(frozen, null, 2))
      expect(toAdd, 'add to test/corpus, as <type>.json or <type>.<n>.json').to.deep.equal([])
    } finally {
      await service.discard()
    }
  })
})
