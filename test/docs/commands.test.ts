/** The commands of pages that have few, run as they stand there: only the address and what a reader fills in are put in. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { EMAIL, PASSWORD, testService, TOKEN, type TestService } from '../support/service.ts'
import { contractBody } from '../system/support/leasing.ts'

const docs = join(import.meta.dirname, '..', '..', 'docs')

/** The address of the API as a page names it, of a server. */
function addressIn(page: string, server: string): string {
  const named = /`http:\/\/127\.0\.0\.1:3000([^`]*)`/.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))
  return `${server}${named?.[1] ?? ''}`
}

/** The blocks of commands of a page that ask the service. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(docs, `${page}.md`), 'utf8')
  return [...text.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)]
    .map(([, block]) => block!)
    .filter((block) => block.startsWith('curl '))
}

describe('the commands of', () => {
  let service: TestService
  const environment: Record<string, string> = {}
  before(async () => {
    service = await testService()
    const other = await service.post('identity/tokens', { Name: 'other', Roles: ['approver'] })
    const { Id } = await service.create('contract', contractBody())
    const OTHER_TOKEN = other.data['Token'] as string
    Object.assign(environment, { TOKEN, OTHER_TOKEN, KEY: Id })
  })
  after(() => service.discard())

  const run = async (page: string, command: string): Promise<string> => {
    const script = command.replaceAll(/https:\/\/(records|daybook)\.example\.com/g, service.url)
    const quiet = `curl() { command curl -sS "$@"; echo; }\n${script}`
    const env = { ...process.env, ...environment, URL: addressIn(page, service.url) }
    return (await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', quiet], { env })).stdout
  }

  const succeeds = (said: string) =>
    expect(said.match(/^\{"Success":\w+/gm)).to.satisfy(
      (all: string[]) => all.every((one) => one.includes('true')),
      said,
    )

  it('access.md make a role', async () => {
    const [role, rights, ...others] = commandsOf('access')
    expect(others).to.deep.equal([])
    const said = await run('access', role!)
    succeeds(said)
    expect(said).to.include('"Name":"rent_reader"')
    const [user] = (await service.get('identity/users')).list
    Object.assign(environment, { USER: user!.Id, CONTRACT: environment['KEY'] })
    const because = await run('access', rights!)
    succeeds(because)
    expect(because).to.include('"Because"')
  })

  it('workflow.md hand a contract in and approve it', async () => {
    const [both, waiting, ...others] = commandsOf('workflow')
    expect(others).to.deep.equal([])
    succeeds(await run('workflow', waiting!))
    const said = await run('workflow', both!)
    succeeds(said)
    expect(said).to.match(/"Status":"PendingApproval"[\s\S]*"Status":"Active"/)
  })

  it('webhooks.md register one', async () => {
    const [webhook, ...others] = commandsOf('webhooks')
    expect(others).to.deep.equal([])
    const said = await run('webhooks', webhook!)
    succeeds(said)
    expect(said).to.include('"Url":"https://example.com/daybook"').and.not.include('a long random text')
  })

  it('integrations.md set one up, start it and show what a payload would do', async () => {
    const [setUp, start, preview, ...others] = commandsOf('integrations')
    expect(others).to.deep.equal([])
    const made = await run('integrations', setUp!)
    succeeds(made)
    environment['INTEGRATION'] = /"Id":"(integration-[^"]*)"/.exec(made)![1]!
    const started = await run('integrations', start!)
    succeeds(started)
    expect(started).to.include('"State":"running"')
    const shown = await run('integrations', preview!)
    succeeds(shown)
    expect(shown).to.include('"Did":"created"').and.include('"Amount":1200.5')
  })

  it('sensors.md send readings and set up a broker', async () => {
    const [readings, broker, ...others] = commandsOf('sensors')
    expect(others).to.deep.equal([])
    const token = 'the-token-of-the-gateway'
    const gateway = { Definition: 'senml-http', Credentials: { token } }
    const { Id } = (await service.post('integrations', gateway)).data
    await service.post(`integrations/${Id}/start`)
    Object.assign(environment, { INTEGRATION: Id, GATEWAY_TOKEN: token })
    succeeds(await run('sensors', readings!))
    succeeds(await run('sensors', broker!))
  })

  it('scim.md set a directory up, start it and try the address', async () => {
    const [setUp, start, users, ...others] = commandsOf('scim')
    expect(others).to.deep.equal([])
    const made = await run('scim', setUp!)
    succeeds(made)
    const INTEGRATION = /"Id":"(integration-[^"]*)"/.exec(made)![1]!
    Object.assign(environment, { INTEGRATION, SCIM_TOKEN: 'a-long-text-of-your-own' })
    succeeds(await run('scim', start!))
    expect(await run('scim', users!)).to.include('"totalResults":')
  })

  it('identity.md log in and make a token', async () => {
    const [login, token, ...others] = commandsOf('identity')
    expect(others).to.deep.equal([])
    const { data } = await service.get('identity/me')
    const filledIn = login!
      .replace('ada@example.com', EMAIL)
      .replace('"Password": "…"', `"Password": "${PASSWORD}"`)
      .replace('company-…', (data['Company'] as { readonly Id: string }).Id)
    const loggedIn = await run('identity', filledIn)
    succeeds(loggedIn)
    expect(loggedIn).to.match(/^set-cookie: \.svc\.auth=/im)
    const made = await run('identity', token!)
    succeeds(made)
    expect(made).to.include('"Token":"daybook_')
  })
})
