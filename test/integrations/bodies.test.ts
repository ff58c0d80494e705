/** What people send to set integrations up, and what they are answered where it is wrong. */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { testService, type TestService } from '../support/service.ts'

describe('the bodies of integrations', () => {
  let service: TestService
  let path: string
  before(async () => {
    service = await testService()
    path = `integrations/${(await service.post('integrations', { Definition: 'stripe' })).data.Id}`
  })
  after(() => service.discard())

  const faultsOf = async (to: string, body: Fields, method = 'POST') => {
    const answer = await service.send(method, to, { body })
    expect(answer.status, answer.text).to.equal(400)
    return answer.faults
  }

  it('name what was probably meant', async () => {
    const [unknown] = await faultsOf('integrations', { Definition: 'strip' })
    expect(unknown).to.match(/^Definition: must be one of .*stripe.*; did you mean stripe\?$/)
    expect(await faultsOf(path, { Credentials: { webhokSecret: 'x' } }, 'PATCH')).to.deep.equal([
      'Credentials.webhokSecret: is not known; there are webhookSecret, apiKey; did you mean webhookSecret?',
    ])
    expect(await faultsOf(path, { Nmae: 'x' }, 'PATCH')).to.deep.equal([
      'Nmae: is unknown or assigned by the service; it takes Name, RunAs, BaseUrl, TokenUrl, Settings, Credentials; did you mean Name?',
    ])
    expect(await faultsOf(`${path}/preview`, { Entry: 'evnts', Payload: {} })).to.deep.equal([
      'Entry: must be events',
    ])
    expect(
      await faultsOf(`${path}/replay`, { From: '2030-01-01T00:00:00Z', States: ['aplied'] }),
    ).to.deep.equal([
      'States[0]: must be one of stored, waiting, applied, ignored, rejected, conflict, quarantined; did you mean applied?',
    ])
  })

  it('have all their faults named at once', async () => {
    const wrong = { Name: ' ', Settings: { a: null }, Credentials: { webhookSecret: 'a\nb' }, BaseUrl: 5 }
    expect(await faultsOf('integrations', wrong)).to.have.members([
      'Definition: is required',
      'Name: must not be blank',
      'Settings.a: must be text, a number, true or false',
      'Credentials.webhookSecret: must be text of 1 to 8192 characters, without control characters',
      'BaseUrl: must be text',
    ])
    expect(await faultsOf(`${path}/replay`, { To: 'yesterday' })).to.deep.equal([
      'From: is required',
      'To: must be a day (2026-03-31, the whole of it) or a timestamp (2026-03-31T12:00:00Z)',
    ])
    expect(await faultsOf(`${path}/preview`, {})).to.deep.equal(['Payload: is required'])
    expect(await faultsOf(`${path}/rotate-secret`, { Credential: 'nope', Value: 'x' })).to.deep.equal([
      'Credential: must be one of webhookSecret, apiKey',
    ])
    expect(await faultsOf(`${path}/start`, { InitialSync: 'yes' })).to.deep.equal([
      'InitialSync: must be true or false',
    ])
  })
})
