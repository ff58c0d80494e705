/** How many files may be open: said where they are few, refused where no client would have one. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { fewOpenFiles } from '../src/open-files.ts'
import { newFolder } from './support/service.ts'

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft.padEnd(20)} 1048576              files\n`

describe('the files that may be open at once', () => {
  it('are enough, or the system does not say', () => {
    for (const text of [limits('1024'), limits('unlimited'), ''])
      expect(fewOpenFiles(text)).to.equal(undefined)
  })

  it('are few: the log says how many, and what to do', () => {
    for (const few of ['256', '1023'])
      expect(fewOpenFiles(limits(few))).to.match(new RegExp(`only ${few} files .*ulimit -n`))
  })

  it('are too few to serve anybody: the start is refused', () => {
    expect(() => fewOpenFiles(limits('255'))).to.throw(/only 255 files .*LimitNOFILE/)
    if (process.platform !== 'linux') return console.log('NOT TESTED: a limit of this system; it needs /proc')
    const folder = newFolder()
    const main = join(import.meta.dirname, '..', 'src', 'main.js')
    const ended = spawnSync('sh', ['-c', `ulimit -n 64; exec "$0" "$1"`, process.execPath, main], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0' },
    })
    rmSync(folder, { recursive: true, force: true })
    expect(ended.stderr).to.match(/^Daybook cannot start: this process may open only 64 files/)
    expect(ended.status).to.equal(1)
  })
})
