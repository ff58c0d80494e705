/** What a process keeps in its memory for nothing: what it must not load. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startMain } from './main-process.ts'

/** Has each thread say at its end which thread it was, and whether it stripped types. */
const TOLD = `import { writeSync } from 'node:fs'
  import { threadId } from 'node:worker_threads'
  process.on('exit', () => {
    const stripped = process.moduleLoadList.some((name) => name.includes('deps/amaro'))
    writeSync(1, 'thread ' + threadId + (stripped ? ' stripped types' : ' took what is compiled') + '\\n')
  })`

describe('what a process keeps in its memory', function () {
  this.timeout(60_000)
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'daybook-footprint-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is no compiler of types, in any thread, not even at the first start of all', async () => {
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
