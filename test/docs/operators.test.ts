/** The commands of docs/durability.md, docs/production.md and docs/notifications.md for those who operate it, run as they stand there. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../engines/free-ports.ts'
import { newFolder, testService, TOKEN, type TestService } from '../support/service.ts'

const root = join(import.meta.dirname, '..', '..')
const blocksOf = (page: string) =>
  [
    ...readFileSync(join(root, 'docs', `${page}.md`), 'utf8').matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm),
  ].map(([, block]) => block!)

describe('the commands for operators of', function () {
  this.timeout(120_000)
  const folder = newFolder()
  let service: TestService
  const env: Record<string, string> = {}
  before(async () => {
    mkdirSync(folder, { recursive: true })
    service = await testService()
    await service.create('tenant', { Name: 'Ada' })
    Object.assign(env, { TOKEN, PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` })
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = async (script: string, more: Readonly<Record<string, string>> = {}) => {
    const all = { ...process.env, ...env, ...more }
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: root,
      env: all,
    })
    return stdout
  }

  it('durability.md back up while it runs, and restore', async () => {
    const block = blocksOf('durability').find((one) => one.startsWith('npm run backup'))!
    const filled = block
      .replaceAll('<new folder>', join(folder, 'restored'))
      .replaceAll('[folder]', service.dataDir)
      .replaceAll('<backup>', join(folder, 'backup'))
    expect(filled).to.not.match(/[<[]\w/)
    await run(filled)
    expect(existsSync(join(folder, 'restored', 'events.db'))).to.equal(true)
  })

  it('production.md back up each night, and verify what was restored', async () => {
    const [nightly, drill] = blocksOf('production').filter((one) => /npm run (backup|restore)/.test(one))
    const nights = nightly!
      .replace('cd /opt/daybook', `cd ${root}`)
      .replace('/var/backups/daybook', join(folder, 'nights'))
      .replace('/var/lib/daybook', service.dataDir)
    mkdirSync(join(folder, 'nights'))
    // A namespace without network needs rights that not every machine gives; there is nothing to send here.
    const port = String(await freePort())
    const here = drill!
      .replace('unshare --map-root-user --net sh', 'sh')
      .replace('  ip link set lo up\n', '')
      .replaceAll('3999', port)
      .replaceAll('/tmp/drill', join(folder, 'drill'))
    expect(here).to.not.match(/unshare|ip link/)
    expect(await run(`${nights}\n${here}`)).to.include('The read models are what the events say.')
    expect(existsSync(join(folder, 'drill'))).to.equal(false)
  })

  it('notifications.md store a template, and send it as a test', async () => {
    const [first, second, ...others] = blocksOf('notifications')
    expect(others).to.deep.equal([])
    const store = first!.replace('http://127.0.0.1:3001', service.notificationUrl)
    const made = JSON.parse(await run(store)) as {
      readonly Data: { readonly template: { readonly name: string } }
    }
    expect(made.Data.template.name).to.equal('Renewal reminder')
    const asked = `cd ${root}\nexport DATA_DIR=${service.dataDir}\nNOTIFY=${service.notificationUrl}\n${second!}`
    const sent = JSON.parse(await run(asked)) as { readonly Data: { readonly messageId: string } }
    const mails = readdirSync(join(service.dataDir, 'mail')).map((name) =>
      readFileSync(join(service.dataDir, 'mail', name), 'utf8'),
    )
    const mail = mails.find((one) => one.includes(sent.Data.messageId))
    expect(mail).to.match(/^Subject: \[test\] Contract CON-1 ends on May 31, 2030\r?$/m)
  })
})
