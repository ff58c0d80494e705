/** Where the keys of secrets come from, and that they are found again. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { secrets } from '../../src/compose/parts/secrets.ts'
import { readConfig } from '../../src/config.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import { memoryEventStore, memoryLog } from '../support/memory-event-store.ts'
import { newFolder } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')

describe('the keys of secrets', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** A start, and what it warned of. */
  const start = async (settings: Record<string, string>, log = memoryLog()) => {
    const warnings: string[] = []
    const note = (_fields: object, message: string) => void warnings.push(message)
    const opened = secrets({
      config: readConfig({ DATA_DIR: folder, ...settings }),
      events: memoryEventStore({ log }),
      clock: manualClock(),
      log: { debug: () => {}, info: () => {}, warn: note, error: note },
    })
    await opened.find()
    return { ...opened, warnings }
  }

  it('are those of the setting, newest first', async () => {
    const sealed = (await start({ SECRETS_KEYS: KEY })).seal('a secret', 'x')
    const other = Buffer.alloc(40, 8).toString('base64')
    expect((await start({ SECRETS_KEYS: `${other}, ${KEY}` })).open(sealed, 'x')).to.equal('a secret')
    const later = await start({ SECRETS_KEYS: other })
    expect(() => later.open(sealed, 'x')).to.throw()
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('are otherwise in a file that only the owner reads, the same at each start', async () => {
    const first = await start({})
    expect(first.warnings).to.deep.equal([])
    expect(readdirSync(folder)).to.deep.equal(['secrets.key'])
    expect(statSync(join(folder, 'secrets.key')).mode & 0o777).to.equal(0o600)
    expect((await start({})).open(first.seal('a secret', 'x'), 'x')).to.equal('a secret')
  })

  it('in the file can be changed: a new line before the old ones', async () => {
    const path = join(folder, 'secrets.key')
    const first = await start({})
    chmodSync(path, 0o600)
    writeFileSync(path, `${KEY}\n${readFileSync(path, 'utf8')}`)
    const second = await start({})
    expect(second.open(first.seal('a secret', 'x'), 'x')).to.equal('a secret')
    expect(() => first.open(second.seal('a secret', 'x'), 'x')).to.throw()
  })

  it('are not made up where the file is damaged: what was sealed would be lost', async () => {
    for (const text of ['', 'short\n', '\0\0\0']) {
      writeFileSync(join(folder, 'secrets.key'), text)
      const outcome = await start({}).catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(Error)
      expect(String(outcome)).to.include('secrets.key').and.to.include('32 bytes')
      expect(readFileSync(join(folder, 'secrets.key'), 'utf8')).to.equal(text)
    }
  })

  it('are agreed on by the event store where several processes share one, and that is said aloud', async () => {
    const log = memoryLog()
    const servers = { EVENTSTORE_URL: 'esdb://localhost:2113' }
    const both = await Promise.all([start(servers, log), start(servers, log)])
    expect(both[1].open(both[0].seal('a secret', 'x'), 'x')).to.equal('a secret')
    for (const { warnings } of both) expect(warnings.join()).to.include('only as safe as the store')
    expect(log.all().map(({ type }) => type)).to.deep.equal(['secrets.generated'])
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('cannot be used before they are found', () => {
    const config = readConfig({ DATA_DIR: folder })
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
    const opened = secrets({ config, events: memoryEventStore(), clock: manualClock(), log })
    expect(() => opened.seal('a secret', 'x')).to.throw(Unavailable)
  })
})
