/** docs/production.md and `deploy/prometheus` against the programs that they are written for, where these are at hand. */
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { needs, PROGRAMS } from '../engines/programs/programs.ts'
import { newFolder, testService, TOKEN } from '../support/service.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'production.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block!)
const run = promisify(execFile)

describe('docs/production.md', function () {
  this.timeout(120_000)
  const folder = newFolder()
  before(() => mkdirSync(folder, { recursive: true }))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** What a program says of a file, and whether it takes it. */
  const says = async (command: string, ...values: string[]): Promise<{ isTaken: boolean; said: string }> =>
    run(command, values, { cwd: folder, env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } }).then(
      ({ stdout, stderr }) => ({ isTaken: true, said: stdout + stderr }),
      (error: { stdout: string; stderr: string }) => ({ isTaken: false, said: error.stdout + error.stderr }),
    )

  it('has a proxy of Caddy that Caddy takes', async function () {
    needs(this, PROGRAMS.caddy)
    const [caddyfile, ...others] = blocks('caddy')
    expect(others).to.deep.equal([])
    const validated = async (text: string) => {
      writeFileSync(join(folder, 'Caddyfile'), text)
      return await says('caddy', 'validate', '--adapter', 'caddyfile', '--config', 'Caddyfile')
    }
    const { isTaken, said } = await validated(caddyfile!)
    expect(isTaken, said).to.equal(true)
    expect(said).to.include('Valid configuration')
    expect((await validated(caddyfile!.replace('health_uri', 'health_url'))).isTaken).to.equal(false)
  })

  it('has a proxy of nginx that nginx takes', async function () {
    needs(this, PROGRAMS.nginx)
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-subj', '/CN=records.example.com', '-days', '1']
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate]
    execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' })
    const [block, ...others] = blocks('nginx')
    expect(others).to.deep.equal([])
    const servers = block!
      .replace('/etc/ssl/records.example.com.pem', certificate)
      .replace('/etc/ssl/records.example.com.key', key)
    const tested = async (http: string) => {
      const config = `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; ${http} }`
      writeFileSync(join(folder, 'nginx.conf'), config)
      return await says('/usr/sbin/nginx', '-t', '-c', join(folder, 'nginx.conf'))
    }
    const { isTaken, said } = await tested(servers)
    expect(isTaken, said).to.equal(true)
    expect(said).to.not.match(/\[(warn|emerg|error)\]/)
    expect((await tested(servers.replace('keepalive 32', 'keepalives 32'))).isTaken).to.equal(false)
  })

  it('has a unit that systemd takes', async function () {
    needs(this, PROGRAMS.systemd)
    const unit = blocks('ini').find((block) => block.startsWith('[Unit]'))!
    // The unit is to be right; the program and the folder of the page need not be there.
    const here = unit
      .replace('/usr/bin/node', process.execPath)
      .replace('/opt/daybook', root)
      .replace('/etc/daybook.env', '-/etc/daybook.env')
    const verified = async (text: string) => {
      writeFileSync(join(folder, 'daybook.service'), text)
      return await says('systemd-analyze', 'verify', '--man=no', join(folder, 'daybook.service'))
    }
    const about = (said: string) => said.split('\n').filter((line) => line.includes('daybook.service'))
    const { said } = await verified(here)
    expect(about(said)).to.deep.equal([])
    const wrong = await verified(here.replace('ProtectHome', 'ProtectHouse'))
    expect(about(wrong.said).join('\n')).to.include('ProtectHouse')
  })

  it('has rules and a scrape that Prometheus takes, of metrics in its format', async function () {
    needs(this, PROGRAMS.promtool)
    const rules = join(root, 'deploy', 'prometheus', 'alerts.yml')
    const checked = await says('promtool', 'check', 'rules', rules)
    expect(checked.isTaken, checked.said).to.equal(true)
    const amount = readFileSync(rules, 'utf8').match(/^ *- alert:/gm)!.length
    expect(checked.said).to.include(`SUCCESS: ${amount} rules found`)

    copyFileSync(rules, join(folder, 'alerts.yml'))
    writeFileSync(join(folder, 'daybook.token'), 'a token')
    const scrape = blocks('yaml')[0]!.replace('/etc/prometheus/daybook.token', join(folder, 'daybook.token'))
    writeFileSync(join(folder, 'prometheus.yml'), scrape)
    const config = await says('promtool', 'check', 'config', join(folder, 'prometheus.yml'))
    expect(config.isTaken, config.said).to.equal(true)

    const service = await testService()
    try {
      const metrics = await fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } })
      writeFileSync(join(folder, 'metrics'), await metrics.text())
      const linted = await says('sh', '-c', 'promtool check metrics < metrics')
      expect(linted.said).to.not.match(/error while linting|parse error/i)
    } finally {
      await service.discard()
    }
  })

  it('has commands that bash reads', async () => {
    for (const block of blocks('sh')) {
      const { isTaken, said } = await says('bash', '-n', '-c', block)
      expect(isTaken, said).to.equal(true)
    }
  })
})
