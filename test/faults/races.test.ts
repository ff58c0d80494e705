/** Requests that arrive together. However they interleave, exactly what may happen has happened. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkEvents, readEventFile } from './event-file.ts'
import { httpClient, type HttpAnswer, type HttpClient } from './ledger/http-client.ts'
import { startService, type ServiceProcess } from './ledger/service-process.ts'

const TOGETHER = 64
const contract = { MonthlyRent: { Amount: 950, Currency: 'EUR' }, StartDate: '2999-01-01' }

interface Told {
  readonly status: number
  readonly version: number
  readonly data: Record<string, string>
  readonly code: string | undefined
}

describe('64 requests at once', function () {
  this.timeout(60_000)
  let dataDir: string
  let service: ServiceProcess
  let http: HttpClient

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'daybook-races-'))
    service = await startService({ dataDir })
    http = httpClient(service)
  })
  after(async () => {
    http.close()
    await service.end('SIGTERM')
    const faults = checkEvents(readEventFile(join(dataDir, 'events.db')))
    rmSync(dataDir, { recursive: true })
    expect(faults, 'what is wrong in the event file').to.deep.equal([])
  })

  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Told> => told(await http.send({ method, path: `/api/v1/${path}`, body, headers }))

  const together = (one: (index: number) => Promise<Told>): Promise<Told[]> =>
    Promise.all(Array.from({ length: TOGETHER }, (_, index) => one(index)))

  const create = async (object: string, body: unknown): Promise<string> =>
    (await send('POST', object, body)).data['Id']!

  const eventsOf = (stream: string) =>
    readEventFile(join(dataDir, 'events.db')).events.filter((event) => event.stream === stream)

  it('create 64 records with 64 numbers', async () => {
    const answers = await together(() => send('POST', 'contract', contract))
    expect(statuses(answers)).to.deep.equal({ 201: TOGETHER })
    expect(new Set(answers.map(({ data }) => data['ContractNumber']))).to.have.property('size', TOGETHER)
    expect(new Set(answers.map(({ data }) => data['Id']))).to.have.property('size', TOGETHER)
  })

  it('with one If-Match change a record once', async () => {
    const key = await create('contract', contract)
    const answers = await together((index) =>
      send('PATCH', `contract/${key}`, { Notes: `writer ${index}` }, { 'If-Match': '"1"' }),
    )
    expect(statuses(answers)).to.deep.equal({ 200: 1, 412: TOGETHER - 1 })
    expect(new Set(answers.map(({ code }) => code))).to.deep.equal(new Set([undefined, 'CONFLICT']))
    const winner = answers.find(({ status }) => status === 200)!
    expect(eventsOf(key).map(({ data }) => data['Notes'] ?? null)).to.deep.equal([null, winner.data['Notes']])
  })

  it('without If-Match all change it, one after the other', async () => {
    const key = await create('contract', contract)
    const answers = await together((index) => send('PATCH', `contract/${key}`, { Notes: `writer ${index}` }))
    expect(statuses(answers)).to.deep.equal({ 200: TOGETHER })
    const byVersion = [...answers].sort((one, other) => one.version - other.version)
    expect(byVersion.map(({ version }) => version)).to.deep.equal(
      Array.from({ length: TOGETHER }, (_, index) => index + 2),
    )
    expect(
      eventsOf(key)
        .slice(1)
        .map(({ data }) => data['Notes']),
    ).to.deep.equal(byVersion.map(({ data }) => data['Notes']))
  })

  it('delete a record once', async () => {
    const key = await create('contract', contract)
    const answers = await together(() => send('DELETE', `contract/${key}`))
    expect(statuses(answers)).to.deep.equal({ 200: 1, 404: TOGETHER - 1 })
    expect(eventsOf(key).map(({ type }) => type)).to.deep.equal(['contract.created', 'contract.deleted'])
  })

  it('submit a record once, and the others are told where it stands', async () => {
    const key = await create('contract', contract)
    const answers = await together(() => send('POST', `contract/${key}/workflow/submit`))
    expect(statuses(answers)).to.deep.equal({ 200: 1, 409: TOGETHER - 1 })
    expect(eventsOf(key).map(({ type }) => type)).to.deep.equal([
      'contract.created',
      'contract.workflow.submitted',
    ])
  })

  it('approve a record once, and make that known once', async () => {
    const key = await create('contract', contract)
    await send('POST', `contract/${key}/workflow/submit`)
    const { data } = await send('POST', 'identity/tokens', { Name: 'approver', Roles: ['system_admin'] })
    const Authorization = `Bearer ${data['Token']}`
    const answers = await together((index) =>
      send('POST', `contract/${key}/workflow/approve`, { Comment: `approver ${index}` }, { Authorization }),
    )
    expect(statuses(answers)).to.deep.equal({ 200: 1, 409: TOGETHER - 1 })
    expect(eventsOf(key).map(({ type }) => type)).to.deep.equal([
      'contract.created',
      'contract.workflow.submitted',
      'contract.workflow.approved',
    ])
  })

  it('with one Idempotency-Key create one record and get one answer', async () => {
    const headers = { 'Idempotency-Key': 'sixty-four-at-once' }
    const answers = await together(() => send('POST', 'contract', contract, headers))
    expect(statuses(answers)).to.deep.equal({ 201: TOGETHER })
    expect(new Set(answers.map(({ data }) => JSON.stringify(data)))).to.have.property('size', 1)
    expect(eventsOf(answers[0]!.data['Id']!)).to.have.length(1)
  })

  it('upsert one value into one record', async () => {
    const answers = await together((index) =>
      send('PUT', 'tenant/by/ExternalId/EXT-1', { Name: `Tenant ${index}` }),
    )
    expect(statuses(answers)).to.deep.equal({ 200: TOGETHER - 1, 201: 1 })
    expect(new Set(answers.map(({ data }) => data['Id']))).to.have.property('size', 1)
    expect(eventsOf(answers[0]!.data['Id']!)).to.have.length(TOGETHER)
  })

  it('are told of no version that the next read does not show', async () => {
    const key = await create('contract', contract)
    const older = await together(async (index) => {
      const changing = send('PATCH', `contract/${key}`, { Notes: `writer ${index}` })
      // Changes nothing, and is answered with the record as it is at this moment.
      const { version } = await send('POST', `contract/${key}/restore`)
      const read = await send('GET', `contract/${key}`)
      await changing
      return read.version < version ? read : { ...read, version: 0 }
    })
    expect(older.filter(({ version }) => version > 0)).to.deep.equal([])
  })

  it('never look up what is deleted at that moment', async () => {
    const names = Array.from({ length: TOGETHER / 2 }, (_, index) => `Tenant ${index}`)
    const tenants = await Promise.all(names.map((Name) => create('tenant', { Name })))
    const outcomes = await Promise.all(
      tenants.map(async (Tenant, index) => {
        const creating = () => send('POST', 'contract', { ...contract, Tenant })
        const deleting = () => send('DELETE', `tenant/${Tenant}`)
        const inTurn = index % 2 === 0 ? [creating(), deleting()] : [deleting(), creating()]
        const answers = await Promise.all(inTurn)
        return answers
          .map(({ status }) => status)
          .sort()
          .join(' ')
      }),
    )
    // Created, and not deleted as it is looked up; or deleted, and not created as the lookup leads nowhere.
    expect(['201 409', '200 400']).to.include.members([...new Set(outcomes)])
  })
})

function told(answer: HttpAnswer | undefined): Told {
  if (!answer) throw new Error('there was no answer')
  const { Data: data, Error: error } = JSON.parse(answer.text) as {
    Data?: Record<string, string>
    Error?: { Code: string }
  }
  const version = Number(answer.headers.etag?.replaceAll('"', ''))
  return { status: answer.status, version, data: data ?? {}, code: error?.Code }
}

function statuses(answers: readonly Told[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
