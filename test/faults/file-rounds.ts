/**
 * Files of a WebDAV server are added, renamed, changed and deleted while an integration polls them, and the service is killed in
 * between, again and again: what is there must be here once, as it is there.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { apiOf, type Api } from '../../scripts/webhooks/api.ts'
import type { Fields } from '../../src/domain/json.ts'
import { startWsgiDav } from '../engines/wsgidav/start.ts'
import { LOOPBACK } from '../integrations/support/partner.ts'
import { seededRandom } from '../support/random.ts'
import { startService } from './ledger/service-process.ts'

export interface FileRounds {
  readonly dataDir: string
  /** Holds the file of the integration. */
  readonly definitionsDir: string
  readonly kills: number
  readonly seed: number
  /** Longest to wait for the end, in ms. */
  readonly patienceMs: number
  readonly onRound?: (line: string) => void
}

export interface FileReport {
  readonly faults: readonly string[]
  readonly changes: number
  readonly files: number
  readonly seconds: number
}

const FOLDERS = 6
const AT_FIRST = 60
/** While the service is down, and while it polls. */
const CHANGES = { down: 6, up: 6 }
const LONGEST_LIFE_MS = 1_000
/** Longest to wait for what a poll that was asked for finds. */
const POLL_MS = 10_000
const TOKEN = 'token-of-the-notifications'

export async function fileRounds(options: FileRounds): Promise<FileReport> {
  const { dataDir, definitionsDir, kills, seed, patienceMs, onRound = () => {} } = options
  const began = performance.now()
  const random = seededRandom(seed)
  writeDefinition(definitionsDir)
  const server = await startWsgiDav()
  const shelf = changingFiles(server.files, random)
  const settings = { ...LOOPBACK, DEFINITIONS_DIR: definitionsDir }
  const start = () => startService({ dataDir, settings })
  try {
    for (let n = 0; n < AT_FIRST; n++) shelf.add()
    let service = await start()
    const made = await apiOf(service).send('POST', 'integrations', {
      Definition: 'shelf',
      BaseUrl: server.url,
      Credentials: { user: server.user, password: server.password, token: TOKEN },
    })
    const integration = (made['Data'] as Fields)['Id'] as string
    await apiOf(service).send('POST', `integrations/${integration}/start`, {})
    let notifications = 0
    const poll = async () => {
      const response = await fetch(`${service.url}/api/v1/in/${integration}/notifications`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ number: ++notifications }),
      })
      if (!response.ok)
        throw new Error(`a notification is answered ${response.status}: ${await response.text()}`)
    }
    for (let kill = 1; kill <= kills; kill++) {
      const life = random.between(0, LONGEST_LIFE_MS)
      await poll()
      for (let n = 0; n < CHANGES.up; n++) {
        await delay(life / CHANGES.up)
        shelf.change(true)
      }
      await service.end('SIGKILL')
      for (let n = 0; n < CHANGES.down; n++) shelf.change(false)
      service = await start()
      const here = await total(apiOf(service), 'document')
      onRound(`kill ${kill} after ${life} ms: ${shelf.there().length} files, ${here} documents so far`)
    }

    // What is missing is gone when a second poll has it neither; what is as it should be must still be so after another.
    const end = performance.now() + patienceMs
    let faults: readonly string[] = []
    for (let good = 0; good < 2 && performance.now() < end;) {
      await poll()
      const until = performance.now() + POLL_MS
      do {
        await delay(250)
        faults = await faultsOf(apiOf(service), integration, shelf)
      } while (faults.length > 0 && performance.now() < until)
      good = faults.length === 0 ? good + 1 : 0
    }
    await service.end('SIGTERM')
    const seconds = (performance.now() - began) / 1_000
    return { faults, changes: shelf.changes(), files: shelf.there().length, seconds }
  } finally {
    await server.stop()
  }
}

/** As it is shipped, and polled whenever it is notified: else a poll is due only twice a minute, and most kills would come before it. */
function writeDefinition(folder: string): void {
  const shipped = join(import.meta.dirname, '..', '..', 'definitions', 'integrations', 'webdav.json')
  const webdav = JSON.parse(readFileSync(shipped, 'utf8')) as {
    readonly credentials: readonly object[]
    readonly receive: readonly object[]
  }
  const notifications = { name: 'notifications', verify: [{ bearer: 'token' }], polls: 'files' }
  mkdirSync(join(folder, 'integrations'), { recursive: true })
  writeFileSync(
    join(folder, 'integrations', 'shelf.json'),
    JSON.stringify({
      ...webdav,
      integration: 'shelf',
      credentials: [...webdav.credentials, { name: 'token' }],
      receive: [...webdav.receive, notifications],
    }),
  )
}

interface Shelf {
  add(): void
  change(isPolled: boolean): void
  changes(): number
  /** Path and size of each. */
  there(): readonly string[]
  /** Sizes of files that were moved while they may have been listed: they may have been seen at both places. */
  readonly moved: ReadonlySet<number>
  /** Paths of files that nothing has happened to since they were added. */
  readonly untouched: ReadonlySet<string>
}

/** No two contents have the same size, so that the ETag is another though a file is changed twice in a second. */
function changingFiles(folder: string, random: ReturnType<typeof seededRandom>): Shelf {
  const sizes = new Map<string, number>()
  const moved = new Set<number>()
  const untouched = new Set<string>()
  let [names, size, changes] = [0, 0, 0]
  for (let n = 0; n < FOLDERS; n++) mkdirSync(join(folder, `Folder ${n}`))
  const write = (path: string) => {
    writeFileSync(join(folder, path), 'x'.repeat(++size))
    sizes.set(path, size)
  }
  const newPath = () => `Folder ${random.between(0, FOLDERS - 1)}/File ${++names}.txt`
  const add = () => {
    const path = newPath()
    write(path)
    untouched.add(path)
  }
  const move = (from: string, isPolled: boolean) => {
    const to = newPath()
    renameSync(join(folder, from), join(folder, to))
    if (isPolled) moved.add(sizes.get(from)!)
    sizes.set(to, sizes.get(from)!)
    sizes.delete(from)
  }
  const remove = (path: string) => {
    rmSync(join(folder, path))
    sizes.delete(path)
  }
  return {
    add,
    moved,
    untouched,
    changes: () => changes,
    there: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => statSync(join(folder, path)).isFile())
        .map((path) => `${path} of ${statSync(join(folder, path)).size} bytes`),
    change(isPolled) {
      changes++
      const path = random.pick([...sizes.keys()])
      const kind = random.between(0, 3)
      if (kind === 0) return add()
      untouched.delete(path)
      if (kind === 1) move(path, isPolled)
      else if (kind === 2) write(path)
      else remove(path)
    },
  }
}

/** What is not here as it is there. */
async function faultsOf(api: Api, integration: string, shelf: Shelf): Promise<readonly string[]> {
  const documents = await allOf(api, 'document')
  const seen = new Map<string, number>()
  const bySize = new Map<number, number>()
  const faults: string[] = []
  for (const { Id, Url, Size, Status } of documents) {
    const path = decodeURIComponent(new URL(Url as string).pathname).replace('/files/', '')
    bySize.set(Size as number, (bySize.get(Size as number) ?? 0) + 1)
    if (Status === 'Archived') continue
    const file = `${path} of ${Size as number} bytes`
    seen.set(file, (seen.get(file) ?? 0) + 1)
    if (!shelf.untouched.has(path)) continue
    const { Data } = await api.send('GET', `document/${Id as string}/history`)
    const events = (Data as readonly unknown[]).length
    if (events !== 1) faults.push(`${path} was added, and has ${events} events`)
  }
  const there = shelf.there()
  for (const file of there)
    if (seen.get(file) !== 1) faults.push(`${file} is there, and here ${seen.get(file) ?? 0} times`)
  for (const file of seen.keys()) if (!there.includes(file)) faults.push(`${file} is here, and not there`)
  for (const [size, count] of bySize)
    if (count > 1 && !shelf.moved.has(size))
      faults.push(`${count} documents are of the file of ${size} bytes`)
  for (const state of ['stored', 'rejected']) {
    const { Pagination } = await api.send(
      'GET',
      `integrations/${integration}/inbox?state=${state}&pageSize=1`,
    )
    const count = (Pagination as Fields)['TotalRecords'] as number
    if (count > 0) faults.push(`${count} messages are ${state}`)
  }
  return faults
}

async function total(api: Api, path: string): Promise<number> {
  const { Pagination } = await api.send('GET', `${path}${path.includes('?') ? '&' : '?'}pageSize=1`)
  return (Pagination as Fields)['TotalRecords'] as number
}

async function allOf(api: Api, object: string): Promise<readonly Fields[]> {
  const found: Fields[] = []
  for (let page = 1; ; page++) {
    const { Data } = await api.send('GET', `${object}?page=${page}&pageSize=100&sort=Id`)
    found.push(...(Data as readonly Fields[]))
    if ((Data as readonly Fields[]).length < 100) return found
  }
}
