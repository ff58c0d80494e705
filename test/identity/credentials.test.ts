/** Which principal a token or session stands for; `test/api/identity` tests the same over HTTP. */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { absent, type RecordState } from '../../src/domain/records/record.ts'
import { sessionPrincipal, tokenPrincipal } from '../../src/identity/credentials.ts'

const live = (fields: Fields): RecordState => ({ ...absent, status: 'live', version: 1, fields })
const firm = live({ Name: 'Harbour Leasing' })
const user = live({ Name: 'Ada', Email: 'ada@example.com', Roles: ['editor'], SessionEpoch: 0 })
const place = { company: 'company-1', key: 'token-1' }

const ofToken = (token: Fields, owner?: RecordState) =>
  tokenPrincipal({ hash: 'h', place, token: live({ Name: 't', Hash: 'h', ...token }), firm, owner })
    ?.principal

describe('the person behind a principal', () => {
  it('is the owner of a token, and the token itself where nobody owns it', () => {
    expect(ofToken({ Owner: 'user-1' }, user)).to.include({ actor: 'token-1', person: 'user-1' })
    expect(ofToken({})).to.include({ actor: 'token-1', person: 'token-1' })
  })

  it('is the user of a session', () => {
    const ticket = { company: 'company-1', user: 'user-1', session: 'session-1', issuedAt: 0, expiresAt: 1 }
    const session = live({ User: 'user-1', Epoch: 0 })
    const found = sessionPrincipal({ ticket, session, firm, user })
    expect(found?.principal).to.include({ actor: 'user-1', person: 'user-1' })
  })
})
