/** Requests to other systems: where they may go, how fast, and the tokens that they carry. */
import { expect } from 'chai'
import { memoryEventStore } from '../support/memory-event-store.ts'
import { manualClock } from '../support/write-side.ts'
import { httpSender } from '../../src/adapters/http/sender.ts'
import {
  integrationFile,
  type IntegrationDefinition,
} from '../../src/integrations/definition/integration-schema.ts'
import { askForSession } from '../../src/integrations/calls/ask-for-session.ts'
import { askForToken } from '../../src/integrations/calls/ask-for-token.ts'
import { calls } from '../../src/integrations/calls/calls.ts'
import { fillRequest } from '../../src/integrations/calls/fill-request.ts'
import { pace } from '../../src/integrations/calls/pace.ts'
import { tokens } from '../../src/integrations/calls/tokens.ts'
import { credentialFields, withValues } from '../../src/integrations/credentials.ts'
import type { Integration } from '../../src/integrations/integration.ts'
import { addressRules, readRange } from '../../src/webhooks/addresses.ts'
import { partner, type Partner, type Reply } from './support/partner.ts'

const sealing = {
  seal: (secret: string, owner: string) => `sealed:${owner}:${Buffer.from(secret).toString('base64')}`,
  open: (sealed: string) => Buffer.from(sealed.split(':').at(-1)!, 'base64').toString(),
}
const GET = { method: 'GET', path: '/things', headers: {}, body: undefined }
const COMPANY = 'company-1'

describe('calls of integrations', () => {
  let other: Partner
  let reply: (token: string | undefined) => Reply
  /** What the token address does with a refresh token, or with none. */
  let grant: (refresh: string | null) => Reply | Promise<Reply>
  before(async () => {
    other = await partner(({ path, body, headers }) => {
      if (path !== '/token') return reply(headers.authorization?.replace('Bearer ', ''))
      return grant(new URLSearchParams(body).get('refresh_token'))
    })
  })
  after(() => other.stop())
  beforeEach(() => {
    other.asked.length = 0
    reply = () => ({ json: {} })
  })

  const fileOf = (more: object): IntegrationDefinition =>
    integrationFile.parse({
      integration: 'other',
      scenario: 'other',
      title: 'Other',
      description: '',
      baseUrl: other.url,
      ...more,
    })
  const oauth = (type: string) => ({
    authentication: {
      oauth2: {
        grant: type,
        tokenUrl: `${other.url}/token`,
        clientId: 'clientId',
        clientSecret: 'clientSecret',
        refreshToken: 'refreshToken',
      },
    },
  })
  const integration = (more: Partial<Integration> = {}): Integration => {
    const values = { clientId: 'me', clientSecret: 'secret', refreshToken: 'refresh-0' }
    const { Credentials } = credentialFields(sealing, COMPANY, withValues({}, values, 0))
    return {
      company: COMPANY,
      key: 'integration-1',
      version: 1,
      name: 'Other',
      definition: 'other',
      state: 'running',
      reason: undefined,
      runAs: 'integration',
      baseUrl: undefined,
      tokenUrl: undefined,
      settings: {},
      startedAt: undefined,
      failingIn: undefined,
      syncAskedAt: undefined,
      credentials: Credentials as string,
      credentialsSet: [],
      ...more,
    }
  }
  const clock = manualClock()
  const events = memoryEventStore()
  const process = (opened: readonly string[] = ['127.0.0.0/8']) => {
    const rules = addressRules(opened.map((text) => readRange(text)!))
    const sender = httpSender({
      mayConnect: (address, secure) => (secure ? rules.mayReach(address) : rules.isOpened(address)),
    })
    const common = { sender, rules, sealing, clock }
    const given = tokens({
      ...common,
      events,
      newCommand: () => crypto.randomUUID(),
      ask: askForToken(common),
      askForSession: askForSession(common),
    })
    return calls({ ...common, tokens: given, pace: pace(clock.elapsed), userAgent: 'test' })
  }

  it('go to no address inside, whoever names it: the base, the token address, the next page', async () => {
    const guarded = process([])
    for (const baseUrl of [
      'http://127.0.0.1:9',
      'https://10.0.0.1',
      'https://[::1]',
      'https://169.254.169.254',
    ])
      expect(await guarded.call(integration({ baseUrl }), fileOf({}), GET)).to.include({ kind: 'refused' })
    const tokenUrl = 'https://169.254.169.254/token'
    const inside = integration({ baseUrl: 'https://example.com', tokenUrl })
    expect(await guarded.call(inside, fileOf(oauth('client_credentials')), GET)).to.deep.equal({
      kind: 'refused',
      detail: 'the token address points to an address that deliveries may not reach',
    })
    const next = { ...GET, path: 'http://127.0.0.2:1/things' }
    expect(await process().call(integration(), fileOf({}), next)).to.deep.equal({
      kind: 'refused',
      detail: 'the answer leads to http://127.0.0.2:1, which is not where the integration goes',
    })
    expect(other.asked).to.deep.equal([])
  })

  it('say whether an unanswered request may have arrived, and are not sent twice by themselves', async () => {
    reply = () => ({ isDropped: true })
    const kept = process()
    for (let times = 1; times <= 3; times++)
      expect(await kept.call(integration(), fileOf({}), { ...GET, method: 'POST' })).to.include({
        kind: 'failed',
        isUnclear: true,
      })
    expect(other.asked).to.have.length(3)
    const nobody = integration({ baseUrl: 'http://127.0.0.1:1' })
    expect(await kept.call(nobody, fileOf({}), GET)).to.include({ kind: 'failed', isUnclear: false })
  })

  it('keep to the rate, and to the patience that the other system asks for', async () => {
    const one = process()
    const file = fileOf({ rate: { requests: 2, seconds: 10 } })
    const kinds = async (count: number) => {
      const all = []
      for (let times = 0; times < count; times++) all.push((await one.call(integration(), file, GET)).kind)
      return all
    }
    expect(await kinds(3)).to.deep.equal(['answered', 'answered', 'held'])
    clock.pass(5_000)
    reply = () => ({ status: 429, headers: { 'Retry-After': '60' } })
    expect(await one.call(integration(), file, GET)).to.deep.include({ kind: 'held', ms: 60_000 })
    clock.pass(59_000)
    expect(await one.call(integration(), file, GET)).to.deep.include({ kind: 'held', ms: 1_000 })
    reply = () => ({ json: {} })
    clock.pass(1_000)
    expect(await kinds(1)).to.deep.equal(['answered'])
  })

  it('get one token for all that ask at once, and another where it has ended', async () => {
    let given = 0
    grant = () => ({ json: { access_token: `access-${++given}`, expires_in: 3_600 } })
    let valid = 'access-1'
    reply = (token) => (token === valid ? { json: { token } } : { status: 401 })
    const one = process()
    const file = fileOf(oauth('client_credentials'))
    const all = await Promise.all(Array.from({ length: 5 }, () => one.call(integration(), file, GET)))
    expect(all.map((called) => called.kind === 'answered' && called.status)).to.deep.equal(Array(5).fill(200))
    expect(given).to.equal(1)
    valid = 'access-2'
    expect(await one.call(integration(), file, GET)).to.deep.include({ status: 200 })
    clock.pass(3_600_000)
    valid = 'access-3'
    expect(await one.call(integration(), file, GET)).to.deep.include({ status: 200 })
    expect(given).to.equal(3)
  })

  it('store the next refresh token before they use what came with it', async () => {
    // As vendors do it: a token that was used leads nowhere.
    let current = 0
    grant = (refresh) =>
      refresh === `refresh-${current}`
        ? {
            json: {
              access_token: `access-r${++current}`,
              expires_in: 1_800,
              refresh_token: `refresh-${current}`,
            },
          }
        : { status: 400, json: { error: 'invalid_grant' } }
    reply = (token) => (token === `access-r${current}` ? { json: {} } : { status: 401 })
    const file = fileOf(oauth('refresh_token'))
    const status = async (one = process()) => {
      const called = await one.call(integration(), file, GET)
      return called.kind === 'answered' ? called.status : called.kind
    }
    expect(await status()).to.equal(200)
    // Another process, and one after its end, go on with what was stored.
    expect(await status()).to.equal(200)
    clock.pass(1_800_000)
    const both = await Promise.all([status(), status()])
    expect(both).to.include(200)
    expect(current).to.equal(2)
    clock.pass(1_800_000)
    expect(await status()).to.equal(200)
    current = 9
    expect(await status()).to.equal('refused')
  })

  it('fill paths, queries, headers and bodies from what a record says', () => {
    const source = {
      item: { Id: 'a/b', Name: 'X', Amount: 5 },
      root: { link: '7' },
      settings: { list: 'L1' },
    }
    const filled = fillRequest(
      {
        method: 'POST',
        path: '/lists/{list}/members/{Id}',
        parameters: { list: { setting: 'list' } },
        query: { link: '$.link', none: 'Nothing' },
        headers: { 'x-name': 'Name' },
        body: {
          object: { Name: 'Name', none: 'Nothing', Lines: { list: [{ object: { Amount: 'Amount' } }] } },
        },
        encoding: 'json',
      },
      source,
    )
    expect(filled).to.deep.equal({
      method: 'POST',
      path: '/lists/L1/members/a%2Fb?link=7',
      headers: { 'content-type': 'application/json', 'x-name': 'X' },
      body: '{"Name":"X","Lines":[{"Amount":5}]}',
    })
  })
})
