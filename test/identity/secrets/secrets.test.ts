/** Where the keys of secrets come from, and that they are found again. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { secrets } from '../../../src/identity/secrets/secrets.ts'
import { masterKeysIn } from '../../../src/adapters/sqlite/keys/master-key-file.ts'
import { readConfig } from '../../../src/config.ts'
import { masterKeyRecord } from '../../../src/identity/secrets/master-key.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { memoryEventStore, memoryLog } from '../../support/memory-event-store.ts'
import { newFolder } from '../../support/service.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')

describe('the keys of secrets', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const opened = (settings: Record<string, string>, { log = memoryLog(), holdsKeys = false } = {}) =>
    secrets({
      given: readConfig(settings).SECRETS_KEYS,
      file: masterKeysIn(folder),
      record: masterKeyRecord({ events: memoryEventStore({ log }), now: () => 0 }),
      holdsKeys: async () => holdsKeys,
    })
  const start = async (...options: Parameters<typeof opened>) => {
    const found = opened(...options)
    await found.find()
    return found
  }
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    )

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

  it('are not made where the file is lost: what they sealed would be lost unnoticed', async () => {
    const log = memoryLog()
    const first = await start({}, { log })
    await first.settle()
    await start({}, { log })
    rmSync(join(folder, 'secrets.key'))
    expect(await refusalOf(start({}, { log })))
      .to.include('secrets.key is missing')
      .and.to.include('claim-again')
    expect(await refusalOf(start({}, { holdsKeys: true })), 'keys, but no record').to.include('is missing')
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('must hold the one that sealed last; a new one before it takes over', async () => {
    const log = memoryLog()
    const other = Buffer.alloc(32, 8).toString('base64')
    await (await start({ SECRETS_KEYS: KEY }, { log })).settle()
    expect(await refusalOf(start({ SECRETS_KEYS: other }, { log })))
      .to.include('not in SECRETS_KEYS')
      .and.not.include(other)
    const both = await start({ SECRETS_KEYS: `${other},${KEY}` }, { log })
    await both.settle()
    await both.settle()
    await start({ SECRETS_KEYS: other }, { log })
    expect(log.all().map(({ type }) => type)).to.deep.equal(['masterkey.used', 'masterkey.used'])
    expect(await refusalOf(start({}, { log })), 'the setting is gone').to.include('is not set')
  })

  it('cannot be used before they are found', () => {
    expect(() => opened({}).seal('a secret', 'x')).to.throw(Unavailable)
  })
})
