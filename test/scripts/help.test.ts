/** Every command says how it is used, and what it does not understand. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { newFolder } from '../support/service.ts'

const root = join(import.meta.dirname, '..', '..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}
const commands = Object.entries(scripts).flatMap(([name, command]) => {
  const file = /^(?:exec )?node (scripts\/[\w-]+\.ts)$/.exec(command)?.[1]
  return file === undefined ? [] : [[name, file] as const]
})

describe('npm run', () => {
  let folder: string
  before(() => (folder = newFolder()))
  after(() => rmSync(folder, { recursive: true, force: true }))

  const run = (file: string, ...given: string[]) =>
    spawnSync(process.execPath, [join(root, file), ...given], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })

  it('has commands', () =>
    expect(commands.map(([name]) => name)).to.include.members(['backup', 'definitions']))

  for (const [name, file] of commands)
    it(`${name} -- --help prints how it is used; another option is refused`, () => {
      const { status, stdout, stderr } = run(file, '--help')
      expect(stdout).to.include(`npm run ${name}`)
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' })
      const wrong = run(file, '--colour')
      expect(wrong.status).to.be.oneOf([1, 2])
      expect(wrong.stderr).to.include('--colour')
    })

  it('start -- --help says where its settings are, and neither that nor another argument opens anything', () => {
    for (const given of [['--help'], ['-h'], ['--help', 'now']]) {
      const { status, stdout, stderr } = run('src/main.js', ...given)
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' })
      expect(stdout)
        .to.match(/^usage: npm start\n/)
        .and.include('environment')
        .and.include('README.md')
    }
    for (const given of [['--port=4000'], ['now'], ['now', '--help']]) {
      const { status, stdout, stderr } = run('src/main.js', ...given)
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' })
      expect(stderr).to.include(`${given[0]}: the service takes no arguments`).and.include('usage: npm start')
    }
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('definitions -- <folder> says what there is, or what is wrong', () => {
    const good = run('scripts/definitions.ts', join(root, 'definitions'))
    expect({ status: good.status, stderr: good.stderr }).to.deep.equal({ status: 0, stderr: '' })
    expect(good.stdout).to.include('Leasing/contract').and.include('system_admin')
    const missing = run('scripts/definitions.ts', 'nope')
    expect(missing.status).to.equal(1)
    expect(missing.stderr).to.include('There is no folder nope.')
  })
})
