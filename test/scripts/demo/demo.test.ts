/** The demo as its users run it: as a process, with its output read and its commands given to a shell. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { apiClient, type ApiClient } from '../../../scripts/demo/api-client.ts'

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'scripts', 'demo.ts')
const TENTH = ['--size', '0.1']

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

/** Runs a demo to its end. */
async function finished(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const run = demo(args, environment)
  const [code] = (await once(run.process, 'close')) as [number]
  expect(code, run.output()).to.equal(0)
  return run.output()
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
  this.timeout(180_000)
  let folder: string
  let own: Demo
  let api: ApiClient
  let instance: { DAYBOOK_URL: string; DAYBOOK_TOKEN: string }

  const total = async (object: string, parameters = '') =>
    (await api.call('GET', `${object}?pageSize=1${parameters}`)).total
  const matching = (filter: string) => `&filter=${encodeURIComponent(filter)}`

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-demo-'))
    own = demo(TENTH, { PORT: '0', DATA_DIR: folder })
    await own.says('Ctrl-C')
    const url = /runs on (http\S+),/.exec(own.output())![1]!
    const token = readFileSync(join(folder, 'demo-token'), 'utf8').trim()
    api = apiClient({ url, token })
    instance = { DAYBOOK_URL: url, DAYBOOK_TOKEN: token }
  })

  after(async () => {
    await stopped(own)
    rmSync(folder, { recursive: true, force: true })
  })

  it('creates a company of the size it was asked for', async () => {
    expect(await total('building')).to.equal(5)
    expect(await total('unit')).to.equal(100)
    expect(await total('tenant')).to.equal(50)
    const [deleted, restored] = ['deleted', 'restored'].map((what) =>
      Number(new RegExp(`contracts ${what}: (\\d+)`).exec(own.output())?.[1]),
    )
    expect(deleted).to.be.above(restored!)
    expect(restored).to.be.above(0)
    expect(await total('contract')).to.equal(1_000 - deleted! + restored!)
    expect(await total('workorder')).to.equal(60)
    expect(await total('payment')).to.be.above(100)
  })

  it('has written mails, as files', async () => {
    const files = readdirSync(join(folder, 'mail')).filter((name) => name.endsWith('.eml'))
    expect(own.output()).to.contain(`${files.length} mails were written`)
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

  it('has rents in several currencies', async () => {
    for (const currency of ['EUR', 'CHF', 'GBP', 'PLN', 'SEK'])
      expect(
        await total('contract', matching(`MonthlyRent/Currency eq '${currency}'`)),
        currency,
      ).to.be.above(0)
  })

  it('has lived through a year: statuses moved, money came in, work was done', async () => {
    for (const status of ['Draft', 'Active', 'Expired', 'Terminated', 'Rejected'])
      expect(await total('contract', matching(`Status eq '${status}'`)), status).to.be.above(0)
    for (const status of ['Received', 'Failed'])
      expect(await total('payment', matching(`Status eq '${status}'`)), status).to.be.above(0)
    expect(await total('workorder', matching(`Status eq 'Completed' and ActualHours gt 0`))).to.be.above(0)
  })

  it('shows contracts of a renamed tenant under the new name, quotes and all', async () => {
    const filter = encodeURIComponent(`Tenant/Name eq 'Bakkerij "De Gouden Krakeling" B.V.'`)
    const { data } = await api.call<{ Tenant: { Id: string } }[]>('GET', `contract?filter=${filter}`)
    expect(data).not.to.be.empty
    const { etag } = await api.call('GET', `tenant/${data[0]!.Tenant.Id}`)
    expect(etag).not.to.equal('"1"')
  })

  describe('its five commands', () => {
    let commands: string[]
    const records = (output: string) => (JSON.parse(output) as { Data: Record<string, unknown>[] }).Data
    before(() => (commands = commandsIn(own.output())))

    it('are five, each with the token', () => {
      expect(commands).to.have.length(5)
      for (const command of commands.slice(0, 4)) expect(command).to.include(instance.DAYBOOK_TOKEN)
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

    it('change the version that was shown, once', () => {
      const changed = JSON.parse(runInShell(commands[2]!)) as { Data: { Notes: string } }
      expect(changed.Data.Notes).to.include('"salary comes late"')
      expect(runInShell(commands[2]!)).to.include('"Success":false').and.to.include('"CONFLICT"')
    })

    it('create by batch, row by row', () => {
      const rows = records(runInShell(commands[3]!))
      expect(rows.map(({ Status }) => Status)).to.deep.equal([201, 400])
    })

    it('show the description of the API', () => {
      expect(runInShell(commands[4]!))
        .to.match(/^<!doctype html>/i)
        .and.to.include('/api/v1/contract')
    })
  })

  it('leaves a company that is there alone, and says so', async () => {
    const before = await Promise.all(['building', 'contract', 'payment'].map((object) => total(object)))
    const output = await finished(TENTH, instance)
    expect(output).to.include('there already').and.to.include('--again')
    expect(
      await Promise.all(['building', 'contract', 'payment'].map((object) => total(object))),
    ).to.deep.equal(before)
    // The token of someone else's instance is not printed.
    expect(output).not.to.include(instance.DAYBOOK_TOKEN)
    for (const command of commandsIn(output).slice(0, 4)) runInShell(command, instance)
  })

  it('makes another company beside it when asked, also after it was broken off on the way', async () => {
    const contracts = await total('contract')
    const broken = demo([...TENTH, '--again'], instance)
    await broken.says('tenants: ')
    broken.process.kill('SIGKILL')
    await once(broken.process, 'close')
    const output = await finished([...TENTH, '--again'], instance)
    expect(output).to.include('broken off')
    expect(await total('building')).to.equal(10)
    expect(await total('unit')).to.equal(200)
    expect(await total('tenant')).to.equal(100)
    expect(await total('contract')).to.be.within(contracts + 950, contracts + 1_000)
  })

  it('keeps its service running until it is told to stop, and finds its data again', async () => {
    expect(await stopped(own), own.output()).to.equal(0)
    own = demo(TENTH, { PORT: '0', DATA_DIR: folder })
    await own.says('Ctrl-C')
    expect(own.output()).to.include('there already').and.to.include(instance.DAYBOOK_TOKEN)
  })
})
