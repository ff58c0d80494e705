/** What a process must not keep for nothing: in its memory, and for its next start. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startMain } from './support/main-process.ts'

/** Has each thread say at its end which thread it was, and whether it stripped types. */
const TOLD = `import { writeSync } from 'node:fs'
  import { threadId } from 'node:worker_threads'
  process.on('exit', () => {
    const stripped = process.moduleLoadList.some((name) => name.includes('deps/amaro'))
    writeSync(1, 'thread ' + threadId + (stripped ? ' stripped types' : ' took what is compiled') + '\\n')
  })`

describe('what a process keeps', function () {
  this.timeout(60_000)
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'daybook-footprint-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('after a clean stop is no log that the next start would have to read', async () => {
    const DATA_DIR = join(folder, 'data')
    const service = await startMain({ DATA_DIR })
    const { code } = await service.end('SIGTERM')
    expect(code).to.equal(0)
    const files = readdirSync(DATA_DIR, { recursive: true, encoding: 'utf8' })
    expect(files).to.include('events.db')
    expect(files.filter((file) => /-wal$/.test(file))).to.deep.equal([])
  })

  it('in its memory is no compiler of types, in any thread, not even at the first start of all', async () => {
    const service = await startMain({
      DATA_DIR: join(folder, 'data'),
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TOLD)}`,
    })
    const { code, stdout } = await service.end('SIGTERM')
    expect(code).to.equal(0)
    expect(stdout).to.contain('thread 0 took what is compiled').and.contain('thread 1 took what is compiled')
    expect(stdout).to.not.contain('stripped types')
  })
})
