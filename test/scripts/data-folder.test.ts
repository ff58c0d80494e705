/** The commands that work on a folder of data: it is given, or that of `DATA_DIR`; both are the same. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { EMAIL, newFolder, testService, type TestService } from '../support/service.ts'

const scripts = join(import.meta.dirname, '..', '..', 'scripts')

describe('a command that works on a folder of data', function () {
  this.timeout(60_000)
  let service: TestService
  let folder: string
  before(async () => {
    folder = newFolder()
    service = await testService()
    await service.create('tenant', { Name: 'Kept' })
    await service.stop()
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true })
  })

  const run = (name: string, given: readonly string[], env: Readonly<Record<string, string>>) => {
    const { PATH = '' } = process.env
    return spawnSync(process.execPath, [join(scripts, `${name}.ts`), ...given], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH, ...env },
    })
  }

  for (const [name, ...words] of [
    ['verify'],
    ['verify', '--warehouse'],
    ['admin', 'new-token', EMAIL],
    ['claim-again'],
    ['backup', 'copy'],
  ] as const)
    it(`takes it as its first argument, or from DATA_DIR: ${name} ${words.join(' ')}`, () => {
      const both = [
        run(name, [service.dataDir, ...words], { DATA_DIR: join(folder, 'not there') }),
        run(name, name === 'backup' ? ['copy-2'] : words, { DATA_DIR: service.dataDir }),
      ]
      for (const { status, stderr } of both) expect(status, stderr).to.equal(0)
      const neither = run(name, name === 'backup' ? ['copy-3'] : words, {})
      expect(neither.status, neither.stdout).to.be.oneOf([1, 2])
    })

  it('makes nothing where there is none', () => {
    for (const name of ['data', 'not there', 'copy-3'])
      expect(existsSync(join(folder, name)), name).to.equal(false)
  })

  it('names the command that was meant', () => {
    const wrong = run('admin', [service.dataDir, 'new-tokn', EMAIL], {})
    expect(wrong.status).to.equal(2)
    expect(wrong.stderr).to.include('new-tokn: there is no such command; did you mean new-token?')
  })
})
