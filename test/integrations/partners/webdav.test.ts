/** Files of a WebDAV server: each change of theirs is seen here once, and a contract has one folder there. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { missing } from '../../engines/wsgidav/binary.ts'
import { startWsgiDav, type WebDavServer } from '../../engines/wsgidav/start.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { makeToken, withToken } from '../../api/identity/identity-support.ts'
import { manualClock } from '../../support/write-side.ts'
import { contractBody, createLease } from '../../system/support/leasing.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { LOOPBACK } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'

describe('documents of a WebDAV server', function () {
  this.timeout(90_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let server: WebDavServer
  let integration: string
  before(async function () {
    if (missing !== undefined) this.skip()
    server = await startWsgiDav()
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE }, clock })
    const made = await service.post('integrations', {
      Definition: 'webdav',
      BaseUrl: server.url,
      Credentials: { user: server.user, password: server.password },
    })
    expect(made.status, made.text).to.equal(201)
    integration = made.data.Id
    mkdirSync(join(server.files, 'Leases', 'Älter & neu'), { recursive: true })
    for (let n = 1; n <= 12; n++) write(`File ${n}.txt`, `content ${n}`)
    write('Leases/Älter & neu/100% sure?.pdf', '%PDF')
    write('.DS_Store', 'of a Mac')
    write('~$open.docx', 'of Word')
    expect((await service.post(`integrations/${integration}/start`)).status).to.equal(200)
  })
  after(async () => {
    await service?.discard()
    await server?.stop()
  })

  const at = (path: string) => join(server.files, path)
  const write = (path: string, text: string) => writeFileSync(at(path), text)
  const until = untilPassing(clock, 301_000)
  const named = async (name: string): Promise<Data | undefined> =>
    (await service.list('document', { filter: `FileName eq '${name}'` })).list[0]
  const total = async (filter?: string) =>
    (await service.list('document', filter === undefined ? {} : { filter })).pagination.TotalRecords
  const dav = async (method: string, path: string, body?: string) => {
    const basic = Buffer.from(`${server.user}:${server.password}`).toString('base64')
    const headers = { authorization: `Basic ${basic}`, depth: '0' }
    const answer = await fetch(`${server.url}/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  it('are here, those of inner folders too, and what people do not mean is not', async () => {
    await until('13 are here', async () => expect(await total()).to.equal(13))
    const document = (await named('100% sure?.pdf'))!
    expect(document).to.include({
      Title: '100% sure?.pdf',
      Size: 4,
      MediaType: 'application/pdf',
      Status: 'Draft',
    })
    const { pathname } = new URL(document['Url'] as string)
    expect((await dav('GET', pathname.replace('/files/', ''))).text).to.equal('%PDF')
    expect((await service.get(`integrations/${integration}`)).data).to.include({ State: 'running' })
  })

  it('are renamed, moved, changed and deleted once each', async () => {
    const [renamed, moved, changed, deleted] = await Promise.all(
      ['File 1.txt', 'File 2.txt', 'File 3.txt', 'File 4.txt'].map(async (name) => (await named(name))!.Id),
    )
    renameSync(at('File 1.txt'), at('Renamed.txt'))
    renameSync(at('File 2.txt'), at('Leases/File 2.txt'))
    write('File 3.txt', 'a longer content')
    rmSync(at('File 4.txt'))
    const state = async (id: string) => (await service.get(`document/${id}`)).data
    await until('all is seen', async () => {
      expect(await state(renamed!)).to.include({ FileName: 'Renamed.txt', Title: 'Renamed.txt' })
      expect((await state(moved!))['Url']).to.match(/\/Leases\/File%202\.txt$/)
      expect(await state(changed!)).to.include({ Size: 16 })
      expect(await state(deleted!)).to.include({ Status: 'Archived' })
    })
    for (const id of [renamed, moved, changed, deleted])
      expect((await service.get(`document/${id!}/history`)).list, id).to.have.length(2)
    expect(await total()).to.equal(13)
    write('File 4.txt', 'content 4')
    await until('it is back', async () => expect(await state(deleted!)).to.include({ Status: 'Final' }))
    expect(await total()).to.equal(13)
  })

  it('have a folder for each contract that becomes active, which says what the contract is about', async () => {
    const approver = withToken((await makeToken(service, ['approver', 'viewer'])).value)
    const lease = await createLease(service, { tenant: 'Smith & <Sons>', building: 'Harbour House' })
    mkdirSync(at('taken'))
    const contract = await service.create('contract', contractBody(lease.lookups))
    const number = contract['ContractNumber'] as string
    await service.post(`contract/${contract.Id}/workflow/submit`)
    expect(
      (await service.post(`contract/${contract.Id}/workflow/approve`, undefined, approver)).status,
    ).to.equal(200)
    await until('all is sent', async () => {
      const { list } = await service.get(`integrations/${integration}/sent?pageSize=50`)
      expect(list.map(({ Entry, State }) => `${Entry as string} ${State as string}`).sort()).to.deep.equal([
        'folders sent',
        'properties sent',
        'sheets sent',
      ])
    })
    const sheet = JSON.parse(readFileSync(at(`${number}/contract.json`), 'utf8')) as object
    expect(sheet).to.include({ ContractNumber: number, Tenant: 'Smith & <Sons>', Status: 'Active' })
    const asked =
      '<p:propfind xmlns:p="DAV:"><p:prop><c:Tenant xmlns:c="urn:daybook:contract"/></p:prop></p:propfind>'
    expect((await dav('PROPFIND', `${number}/`, asked)).text).to.contain('Smith &amp; &lt;Sons&gt;')
    write(`${number}/Lease.pdf`, '%PDF of the lease')
    await until('its file is here', async () =>
      expect((await named('Lease.pdf'))?.['Contract']).to.include({ Id: contract.Id }),
    )
    expect(await named('contract.json')).to.equal(undefined)
  })

  it('have that folder also where it is there already', async () => {
    const approver = withToken((await makeToken(service, ['approver', 'viewer'])).value)
    const contract = await service.create('contract', contractBody())
    const number = contract['ContractNumber'] as string
    mkdirSync(at(number))
    await service.post(`contract/${contract.Id}/workflow/submit`)
    await service.post(`contract/${contract.Id}/workflow/approve`, undefined, approver)
    await until('its sheet is there', async () =>
      expect(JSON.parse(readFileSync(at(`${number}/contract.json`), 'utf8'))).to.include({
        Status: 'Active',
      }),
    )
    expect((await service.get(`integrations/${integration}/sent?state=failed`)).list).to.deep.equal([])
  })

  it('are not archived because the server has lost its disk', async () => {
    for (let n = 1; n <= 60; n++) write(`Many ${n}.txt`, `${n}`)
    const all = 13 + 1 + 60
    await until('all are here', async () => expect(await total("Status ne 'Archived'")).to.equal(all))
    const away = `${server.files}-away`
    renameSync(server.files, away)
    mkdirSync(server.files)
    await until('it is failing', async () => {
      const { data } = await service.get(`integrations/${integration}`)
      expect(data['Reason']).to.match(/^poll files: 7\d of 7\d files are not there any more/)
    })
    rmSync(server.files, { recursive: true })
    renameSync(away, server.files)
    await until('it works again', async () =>
      expect((await service.get(`integrations/${integration}`)).data).to.include({ State: 'running' }),
    )
    expect(await total("Status ne 'Archived'")).to.equal(all)
  })

  it('are not asked for with a password that is refused', async () => {
    const path = `integrations/${integration}`
    expect((await service.patch(path, { Credentials: { password: 'wrong' } })).status).to.equal(200)
    await until('it is failing', async () =>
      expect((await service.get(path)).data['Reason']).to.match(/answers 401: check the credentials/),
    )
  })
})
