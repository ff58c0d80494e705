/** The demo as its users run it: as a process, with its output read and its commands given to a shell. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../../system/support/eventually.ts'
import { apiClient, type ApiClient } from '../../../scripts/demo/api-client.ts'

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'scripts', 'demo.ts')
const SMALL = ['--size', '0.04']

interface Demo {
  readonly process: ChildProcess
  readonly output: () => string
  /** Resolves when the output has this text; rejects when the process ends without it. */
  readonly says: (text: string) => Promise<void>
}

function demo(args: readonly string[], environment: Readonly<Record<string, string>>): Demo {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()))
  const ended = once(child, 'close')
  return {
    process: child,
    output: () => output,
    async says(text) {
      while (!output.includes(text)) {
        const closed = await Promise.race([
          once(child.stdout, 'data').then(() => false),
          ended.then(() => true),
        ])
        if (closed && !output.includes(text)) throw new Error(`the demo ended without "${text}":\n${output}`)
      }
    },
  }
}

/** Asks it to stop, as Ctrl-C does, and waits for its service too. Returns the exit code. */
async function stopped({ process: child }: Demo): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  const closed = once(child, 'close') as Promise<[number | null]>
  child.kill('SIGINT')
  return (await closed)[0]
}

/** The commands that it printed: indented lines below a numbered title. */
function commandsIn(output: string): string[] {
  return [...output.matchAll(/^\d\. .*:\n\n((?: {3}.*\n)+)/gm)].map(([, command]) => command!)
}

function runInShell(command: string, environment: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    encoding: 'utf8',
    // The page of the API's description has over a megabyte.
    maxBuffer: 32 * 1024 * 1024,
    env: { PATH: process.env['PATH'], ...environment },
  })
  expect(status, `${command}\n${stderr}`).to.equal(0)
  return stdout
}

describe('the demo', function () {
  this.timeout(300_000)
  let folder: string
  let own: Demo
  let api: ApiClient
  let token: string

  const start = async (...args: string[]) => {
    own = demo([...SMALL, ...args], { DATA_DIR: folder })
    await own.says('Ctrl-C')
    const url = /runs on (http\S+)/.exec(own.output())![1]!
    token = /API token: (\S+)/.exec(own.output())![1]!
    api = apiClient({ url, token })
  }
  const total = async (object: string, parameters = '') =>
    (await api.call('GET', `${object}?pageSize=1${parameters}`)).total

  before(async () => {
    folder = join(mkdtempSync(join(tmpdir(), 'daybook-demo-')), 'data')
    await start()
  })

  after(async () => {
    await stopped(own)
    rmSync(join(folder, '..'), { recursive: true, force: true })
  })

  it('lets each person in with the password that it prints', async () => {
    const url = /runs on (http\S+)/.exec(own.output())![1]!
    const Password = /Password: +(\S+),/.exec(own.output())![1]!
    const emails = [...own.output().matchAll(/^ {2}(\S+@\S+)/gm)].map(([, email]) => email!)
    expect(emails).to.have.length(7)
    for (const Email of emails) {
      const body = JSON.stringify({ Email, Password })
      const headers = { 'Content-Type': 'application/json' }
      const { status } = await fetch(`${url}/api/v1/identity/login`, { method: 'POST', headers, body })
      expect(status, Email).to.equal(Email.startsWith('ingrid') ? 401 : 200)
    }
  })

  it('has written mails, as files', async () => {
    const files = readdirSync(join(folder, 'mail')).filter((name) => name.endsWith('.eml'))
    expect(own.output()).to.contain(
      `Mails are written as files that mail programs open: ${join(folder, 'mail')}`,
    )
    const mails = files.map((name) => readFileSync(join(folder, 'mail', name), 'utf8'))
    const subjects = mails.map((mail) => /^Subject: (.*?)\r?$/m.exec(mail)![1])
    expect(subjects.filter((one) => one!.startsWith('We have your request'))).to.have.length(1)
    expect(subjects).to.include('Waiting for your approval')
    const { data } = await api.call<{ trigger: string }[]>('GET', 'notifications/templates')
    expect(data.map(({ trigger }) => trigger)).to.have.members([
      'contract-renewal-reminder',
      'service-request-created',
      'workflow-task-create',
    ])
  })

  it('delivers webhooks, the first of them at the second attempt', async () => {
    const { data } = await api.call<{ Id: string }[]>('GET', 'webhooks')
    await eventually('deliveries', async () => {
      const path = `webhooks/${data[0]!.Id}/deliveries`
      const deliveries = (await api.call<{ State: string; Attempts: unknown }[]>('GET', path)).data
      expect(deliveries.length, JSON.stringify(deliveries)).to.be.above(1)
      expect(
        deliveries.every(({ State }) => /deliver|done|succe/i.test(State)),
        JSON.stringify(deliveries),
      ).to.equal(true)
    })
  })

  describe('its commands', () => {
    let commands: string[]
    const records = (output: string) => (JSON.parse(output) as { Data: Record<string, unknown>[] }).Data
    before(() => (commands = commandsIn(own.output())))

    it('are nine, each with the token', () => {
      expect(commands).to.have.length(9)
      for (const command of commands.slice(0, 8)) expect(command).to.include(token)
    })

    it('list by a filter, with the tenant in full', () => {
      const found = records(runInShell(commands[0]!))
      expect(found).to.have.length(3)
      for (const { Status, Tenant } of found) {
        expect(Status).to.equal('Active')
        expect(Tenant).to.include.keys('Id', 'Name', 'Email', 'Phone')
      }
    })

    it('search', () => {
      const found = records(runInShell(commands[1]!))
      expect(found).not.to.be.empty
      expect(found[0]).to.have.all.keys('Id', 'ContractNumber', 'Tenant', 'Status')
    })

    it('show how a rent was mistyped and corrected', () => {
      const reasons = records(runInShell(commands[2]!)).map(({ Reason }) => String(Reason))
      expect(reasons.some((one) => one.startsWith('Typing error'))).to.equal(true)
    })

    it('show half a year ago, rents without a reason, days in states and open lines of the bank', () => {
      const asOf = /asOf=(\S+)/.exec(commands[3]!)![1]!
      expect((Date.now() - Date.parse(asOf)) / 86_400_000, asOf).to.be.within(181, 188)
      expect(records(runInShell(commands[3]!))).to.have.length(3)
      expect(records(runInShell(commands[4]!))).not.to.be.empty
      const days = JSON.parse(runInShell(commands[5]!)) as { Data: { Rows: [string, number, number][] } }
      expect(days.Data.Rows.find(([status]) => status === 'Active')![2]).to.be.above(30)
      expect(records(runInShell(commands[6]!))).not.to.be.empty
    })

    it('change the version that was shown, once', () => {
      const changed = JSON.parse(runInShell(commands[7]!)) as { Data: { Notes: string } }
      expect(changed.Data.Notes).to.include('"salary comes late"')
      expect(runInShell(commands[7]!)).to.include('"Success":false').and.to.include('"CONFLICT"')
    })

    it('show the description of the API', () => {
      expect(runInShell(commands[8]!))
        .to.match(/^<!doctype html>/i)
        .and.to.include('/api/v1/contract')
    })
  })

  it('shows the same again when it is started again', async () => {
    const before = [token, await total('contract'), await total('payment')]
    expect(await stopped(own), own.output()).to.equal(0)
    await start()
    expect(own.output()).to.include('is shown as you left it')
    expect([token, await total('contract'), await total('payment')]).to.deep.equal(before)
  })

  it('replaces what was broken off', async () => {
    const before = token
    expect(await stopped(own), own.output()).to.equal(0)
    const broken = demo([...SMALL, '--again'], { DATA_DIR: folder })
    await broken.says('contracts: ')
    broken.process.kill('SIGKILL')
    await once(broken.process, 'close')
    await start()
    expect(own.output()).to.include('broken off')
    expect(token).not.to.equal(before)
    expect(await total('building')).to.equal(2)
  })
})
