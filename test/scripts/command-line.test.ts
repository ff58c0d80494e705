/** `daybook` on the command line: what it answers, what it keeps, and its exit codes. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sign } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { contractBody } from '../system/support/leasing.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'clients', 'typescript', 'src', 'cli', 'main.ts')

describe('the command line', function () {
  this.timeout(60_000)
  let service: TestService
  let folder: string
  before(async () => {
    service = await testService()
    folder = mkdtempSync(join(tmpdir(), 'daybook-cli-'))
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true })
  })

  interface Ended {
    readonly code: number
    readonly out: string
  }
  /** Runs it as a program does, not on a terminal. `out`: what it answered, or why it did not. */
  const run = (given: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const all = {
        ...process.env,
        DAYBOOK_TOKEN: undefined,
        DAYBOOK_URL: undefined,
        XDG_CONFIG_HOME: folder,
        ...env,
      }
      const cli = spawn(process.execPath, [PROGRAM, ...given], { env: all })
      const [out, said]: [string[], string[]] = [[], []]
      cli.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text))
      cli.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text))
      cli.once('error', reject)
      cli.once('close', (code) =>
        resolve({ code: code ?? -1, out: (code === 0 ? out : [...out, ...said]).join('') }),
      )
      cli.stdin.end(input)
    })
  const cli = (...given: string[]) => run(given, { DAYBOOK_TOKEN: TOKEN, DAYBOOK_URL: service.url })
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const read = ({ out }: Ended) => JSON.parse(out) as { readonly [name: string]: unknown }

  it('reads and writes records, and shows what became of one', async () => {
    const Id = read(await cli('create', 'tenant', 'Name=Ann'))['Id'] as string
    const tried = read(await cli('set', Id, 'Name=Nora', '--dry-run'))
    expect(tried['Name']).to.equal('Nora')
    await cli('set', Id, 'Name=Anna', '--reason', 'her wish')
    const [now, then, history, list, diff, csv] = await Promise.all([
      cli('get', Id),
      cli('get', Id, '--as-of', '1'),
      cli('history', Id),
      cli('list', 'tenant', '--filter', "Name eq 'Anna'"),
      cli('diff', Id, '1'),
      cli('export', 'tenant', '--fields', 'Name'),
    ])
    expect([read(now)['Name'], read(then)['Name']]).to.deep.equal(['Anna', 'Ann'])
    expect(history.out).to.include('her wish')
    expect(list.out).to.include(Id)
    expect(JSON.parse(diff.out)).to.deep.equal([{ Field: 'Name', From: 'Ann', To: 'Anna' }])
    expect(csv.out.replace('\ufeff', '').trim().split('\r\n')).to.deep.equal(['Name', 'Anna'])
    const [types, deleted, late, unknown, missing, stray] = await Promise.all([
      cli('types'),
      cli('delete', Id, '--dry-run'),
      cli('set', Id, 'Name=B', '--if-match', '"9"'),
      cli('nope'),
      cli('get', `tenant-${'0'.repeat(26)}`),
      cli('me', '--dry-run'),
    ])
    expect(types.out).to.include('export interface Objects')
    expect(deleted.code).to.equal(0)
    expect([late.code, unknown.code, missing.code, stray.code]).to.deep.equal([3, 2, 1, 2])
    expect((await cli('get', Id)).code, 'it was deleted by a dry run').to.equal(0)
  })

  it('keeps the token of a login for its address alone, where only the owner can read it', async () => {
    const logged = await run(['login', '--url', service.url], {}, `${TOKEN}\n`)
    expect(logged.code, logged.out).to.equal(0)
    expect(statSync(join(folder, 'daybook', 'login.json')).mode & 0o777).to.equal(0o600)
    expect(statSync(join(folder, 'daybook')).mode & 0o777).to.equal(0o700)
    const [me, other, wrong] = await Promise.all([
      run(['me'], {}),
      run(['me', '--url', service.url.replace('127.0.0.1', 'localhost')], {}),
      run(['login', '--url', service.url], {}, 'daybook_wrong\n'),
    ])
    expect(read(me)['Name']).to.equal('bootstrap')
    expect([other.code, wrong.code]).to.deep.equal([4, 4])
    expect(wrong.out).not.to.include('daybook_wrong')
    expect((await run(['me'], {})).code, 'a refused login took the place of the other').to.equal(0)
    expect((await run(['logout'], {})).out).to.include(service.url)
    expect((await run(['me', '--url', service.url], {})).code).to.equal(4)
  })

  it('checks a file, imports it, and takes it back', async () => {
    const path = file('tenants.csv', 'Name,ExternalId\nCarl,E-1\nDora,E-2\n')
    const tried = read(await cli('import', 'tenant', path, '--dry-run'))
    expect([tried['State'], tried['WouldCreate']]).to.deep.equal(['Checked', 2])
    const done = read(await cli('import', 'tenant', path, '--mode', 'upsert', '--commit'))
    expect([done['State'], done['Created']]).to.deep.equal(['Completed', 2])
    expect((await cli('import', 'tenant', path, '--mode', 'upsert', '--commit')).code).to.equal(3)
    const undone = read(await cli('imports', done['Id'] as string, 'undo'))
    expect(undone['State']).to.equal('Completed')
    const wrong = await cli('import', 'tenant', file('wrong.csv', 'Name,Email\nEve,no address\n'), '--commit')
    expect(wrong.code).to.equal(1)
    const { Id } = JSON.parse(wrong.out) as { Id: string }
    expect((await cli('imports', Id, 'errors')).out).to.include('no address')
    expect((await cli('imports')).out).to.include(Id)
  })

  it('brings templates of mails that differ, however often', async () => {
    const texts = { name: 'Note', trigger: 'contract-submitted', subject: 'A contract' }
    const mails = mkdtempSync(join(folder, 'mails-'))
    writeFileSync(join(mails, 'note.json'), JSON.stringify(texts))
    writeFileSync(join(mails, 'note.html'), '<p>Look at it.</p>')
    const push = async (...more: string[]) => {
      const ended = await cli('templates', 'push', mails, '--notifications', service.notificationUrl, ...more)
      return (JSON.parse(ended.out) as { Change: string }[]).map(({ Change }) => Change)
    }
    expect(await push('--dry-run')).to.deep.equal(['new'])
    expect(await push()).to.deep.equal(['new'])
    expect(await push()).to.deep.equal(['unchanged'])
    writeFileSync(join(mails, 'note.html'), '<p>Look at it soon.</p>')
    expect(await push()).to.deep.equal(['changed'])
    const body = '<p>Harbour Ltd</p>{{content}}'
    const layout = await service.post('notifications/layouts', { layout: { name: 'House', body } })
    expect(layout.status, layout.text).to.equal(201)
    writeFileSync(join(mails, 'note.json'), JSON.stringify({ ...texts, layout: 'House' }))
    expect(await push()).to.deep.equal(['changed'])
    expect(await push()).to.deep.equal(['unchanged'])
  })

  it('says what a payload of an integration would do', async () => {
    const { data } = await service.post('integrations', {
      ...{ Definition: 'stripe', Credentials: { webhookSecret: 'whsec_x' } },
    })
    await service.post(`integrations/${data.Id}/start`)
    const payload = {
      id: 'evt_1',
      type: 'payment_intent.succeeded',
      created: 1_900_000_000,
      data: { object: { id: 'pi_1', amount_received: 100, currency: 'eur', metadata: {} } },
    }
    const path = file('payload.json', JSON.stringify(payload))
    const [preview, list, inbox, nowhere] = await Promise.all([
      cli('integrations', 'preview', data.Id, path),
      cli('integrations'),
      cli('integrations', 'inbox', data.Id),
      cli('integrations', 'preview', data.Id),
    ])
    expect(preview.code, preview.out).to.equal(0)
    expect(JSON.parse(preview.out)).to.have.nested.property('[0].Did', 'created')
    expect(list.out).to.include(data.Id)
    expect([JSON.parse(inbox.out), nowhere.code]).to.deep.equal([[], 2])
  })

  it('checks the signature of a webhook', async () => {
    const body = '{"Event":"contract.created","Timestamp":"2030-01-01T00:00:00Z","Data":{"Id":"x"}}'
    const signature = await sign('secret', body)
    const path = file('body.json', body)
    const [right, wrong] = await Promise.all([
      cli('verify', path, `X-Hub-Signature-256=${signature}`, '--secret', 'secret'),
      cli('verify', path, `X-Hub-Signature-256: ${signature}`, '--secret', 'another'),
    ])
    expect(read(right)['Event']).to.equal('contract.created')
    expect(wrong.code).to.equal(1)
  })

  it('takes actions, lists webhooks, and completes commands', async () => {
    const { Id } = await service.create('contract', contractBody())
    const [actions, webhooks, bash, zsh] = await Promise.all([
      cli('act', Id),
      cli('webhooks'),
      cli('completion', 'bash'),
      cli('completion', 'zsh'),
    ])
    expect(actions.out).to.include('submit')
    expect(JSON.parse(webhooks.out)).to.deep.equal([])
    expect(bash.out).to.match(/compgen -W '[^']*\bwebhooks\b/)
    expect(zsh.out).to.include('bashcompinit')
    expect(read(await cli('act', Id, 'submit', '--dry-run'))['Status']).to.equal('PendingApproval')
    expect(JSON.parse((await cli('waiting')).out)).to.deep.equal([])
  })
})
