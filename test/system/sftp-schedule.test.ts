/** Files of a real SFTP server become records in their time, and nobody learns its password or is sent it. */
import { mkdirSync, readdirSync, renameSync, writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { NO_OPENSSH, startOpenSsh, type OpenSsh } from '../engines/openssh/start.ts'
import { testService, type Data, type TestService } from '../support/service.ts'

const row = (n: number) => `Name,ExternalId\nPicked ${n},F-${n}\n`

describe('a schedule of an SFTP server', function () {
  this.timeout(120_000)
  if (NO_OPENSSH !== undefined) {
    it.skip(NO_OPENSSH)
    return
  }
  let server: OpenSsh
  let service: TestService
  let body: Record<string, unknown>
  let source: Record<string, unknown>
  let key: string
  before(async () => {
    server = await startOpenSsh()
    mkdirSync(join(server.folder, 'out'))
    service = await testService({ settings: { IMPORT_SFTP_ALLOW: '127.0.0.0/8' } })
    const profile = await service.post('import-profiles', {
      Name: 'Bank',
      Object: 'tenant',
      Mapping: { Fields: { Name: { Column: 'Name' }, ExternalId: { Column: 'ExternalId' } } },
    })
    const { port, user, privateKey } = server
    source = { Kind: 'sftp', Host: '127.0.0.1', Port: port, User: user, Path: 'out', PrivateKey: privateKey }
    body = {
      Name: 'Bank',
      Object: 'tenant',
      Profile: profile.data.Id,
      RunAs: 'system_admin',
      StableSeconds: 0,
    }
    Object.assign(body, { Files: '*.csv', Every: 'PT6H', Source: source })
  })
  after(async () => {
    await service.discard()
    await server.stop()
  })

  const put = (name: string, text: string) => writeFileSync(join(server.folder, 'out', name), text)
  const ran = async (): Promise<Data> => {
    const stateOf = async () => (await service.get(`import-schedules/${key}`)).data
    const earlier = JSON.stringify((await stateOf())['LastRun'])
    expect((await service.post(`import-schedules/${key}/run`)).status).to.equal(202)
    for (;;) {
      const last = (await stateOf())['LastRun']
      if (last !== null && JSON.stringify(last) !== earlier) return last as unknown as Data
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const total = async () => (await service.list('tenant', { pageSize: '1' })).pagination.TotalRecords

  it('shows the key of the server before it is trusted, and logs in only then', async () => {
    const made = await service.post('import-schedules', body)
    expect(made.status, made.text).to.equal(201)
    key = made.data.Id
    put('a.csv', row(1))
    const test = await service.post(`import-schedules/${key}/test`)
    expect(test.data).to.include({ HostKey: server.hostKey })
    expect(test.data['Takes']).to.deep.equal([])
    const { PrivateKey: _, ...place } = source
    const trusting = { ...body, Source: { ...place, HostKey: server.hostKey } }
    const changed = await service.send('PUT', `import-schedules/${key}`, { body: trusting })
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.data['Source']).to.deep.equal(trusting.Source)
    const again = await service.post(`import-schedules/${key}/test`)
    expect(again.data['Takes']).to.deep.equal([{ Name: 'a.csv', Bytes: row(1).length }])
  })

  it('takes files once, and moves them away', async () => {
    const last = await ran()
    expect([last['Taken'], last['Troubles']], JSON.stringify(last)).to.satisfy(
      ([taken, troubles]: [unknown[], unknown[]]) => taken.length === 1 && troubles.length === 0,
    )
    expect(await total()).to.equal(1)
    expect(readdirSync(join(server.folder, 'out'))).to.deep.equal(['processed'])
    put('same.csv', row(1))
    put('b.csv', row(2))
    expect((await ran())['Taken']).to.have.length(1)
    expect(await total()).to.equal(2)
  })

  it('says when the server is away or has another key, and goes on afterwards', async () => {
    await server.kill()
    put('c.csv', row(3))
    const away = await ran()
    expect(away['Troubles']).to.satisfy(
      ([one]: { File: null; Message: string }[]) => one!.File === null && /ECONNREFUSED/.test(one!.Message),
    )
    expect((await service.get(`import-schedules/${key}`)).data['Health']).to.equal('Failed')
    await server.start()
    expect((await ran())['Taken']).to.have.length(1)
  })

  it('says that a file cannot be moved, and does not take it again', async () => {
    const out = join(server.folder, 'out')
    renameSync(join(out, 'processed'), join(out, 'earlier'))
    writeFileSync(join(out, 'processed'), '')
    put('d.csv', row(4))
    const last = await ran()
    expect(last['Troubles']).to.satisfy(([one]: { File: string }[]) => one!.File === 'd.csv')
    expect((await ran())['Taken']).to.deep.equal([])
    expect(await total()).to.equal(4)
    rmSync(join(out, 'processed'))
  })

  it('keeps its login to itself, and for its server alone', async () => {
    const secret = server.privateKey.split('\n')[2]!
    const { text } = await service.get(`import-schedules/${key}`)
    const listed = await service.get('import-schedules')
    const history = await service.get(`audit?filter=${encodeURIComponent(`Key eq '${key}'`)}`)
    for (const shown of [text, listed.text, history.text]) {
      expect(shown).to.not.include(secret)
      expect(shown).to.not.include('"Secret"')
    }
    const { PrivateKey: _, ...place } = source
    const elsewhere = { ...body, Source: { ...place, Host: 'localhost', HostKey: server.hostKey } }
    const refused = await service.send('PUT', `import-schedules/${key}`, { body: elsewhere })
    expect(refused.error.Details.map(({ Field }) => Field)).to.deep.equal(['Source.Password'])
  })

  it('reaches no server that the operator has not allowed', async () => {
    for (const Host of ['169.254.169.254', '10.0.0.1', 'metadata.google.internal']) {
      const other = { ...body, Name: Host, Source: { ...source, Host, Port: 22 } }
      const made = await service.post('import-schedules', other)
      const { data } = await service.post(`import-schedules/${made.data.Id}/test`)
      expect(data['Message'], Host).to.match(
        /^(the operator has not allowed the server|the host .* is not known)/,
      )
    }
  })
})
