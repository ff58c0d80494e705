/** A proxy sends requests of many people over one connection: each of them is who it says, whoever asked before. */
import { expect } from 'chai'
import { rawConnection, type RawConnection } from '../../system/support/raw-http.ts'
import { testService, type TestService } from '../../support/service.ts'
import { APP_ORIGIN, logIn, makeToken, makeUser, withCookie } from '../identity/identity-support.ts'

describe('one connection of many people', () => {
  let service: TestService
  let connection: RawConnection

  before(async () => {
    service = await testService({ settings: { APP_ORIGIN } })
    connection = await rawConnection(service.url)
  })
  after(async () => {
    await connection.destroy()
    await service.discard()
  })

  /** The Key of whoever asks; or the status, when nobody is let in. */
  const who = async (...lines: string[]): Promise<string | number> => {
    const all = ['GET /api/v1/identity/me HTTP/1.1', 'Host: localhost', ...lines, '', '']
    connection.write(all.join('\r\n'))
    const answer = await connection.answer()
    return answer?.status === 200 ? answer.data.Id : (answer?.status ?? 0)
  }
  const somebody = async () => {
    const user = await makeUser(service)
    const headers = withCookie(await logIn(service, user))
    return { key: user.Id, headers, line: `Cookie: ${headers['Cookie']}` }
  }

  it('knows each by his own cookie', async () => {
    const [ada, ben] = [await somebody(), await somebody()]
    for (const { key, line } of [ada, ben, ben, ada, ada, ben]) expect(await who(line)).to.equal(key)
    expect(await who()).to.equal(401)
    expect(await who(ada.line)).to.equal(ada.key)
  })

  it('lets in nobody by two cookies of the name, before and after one', async () => {
    const [ada, ben] = [await somebody(), await somebody()]
    const both = `${ada.line}; ${ben.headers['Cookie']}`
    for (let i = 0; i < 2; i++) {
      expect(await who(both)).to.equal(401)
      expect(await who(ada.line)).to.equal(ada.key)
      expect(await who(ada.line, ben.line), 'two lines').to.equal(401)
      expect(await who(ada.line, ada.line), 'the same twice').to.equal(401)
    }
  })

  it('takes no token for a cookie, nor the other way round', async () => {
    const ada = await somebody()
    const token = await makeToken(service)
    const bearer = `Bearer ${token.value}`
    expect(await who(`Authorization: ${bearer}`)).to.equal(token.Id)
    expect(await who(`Cookie: ${bearer}`)).to.equal(401)
    expect(await who(ada.line)).to.equal(ada.key)
    expect(await who(`Authorization: ${ada.headers['Cookie']}`)).to.equal(401)
    expect(await who(`Authorization: ${bearer}`, ada.line)).to.equal(token.Id)
    expect(await who('Authorization: Basic x', ada.line)).to.equal(401)
    expect(await who(ada.line)).to.equal(ada.key)
  })

  it('knows them by long headers, too', async () => {
    const [ada, ben] = [await somebody(), await somebody()]
    const long = (line: string) => `${line}; other=${'x'.repeat(4_000)}`
    for (const { key, line } of [ada, ben, ben]) {
      expect(await who(long(line))).to.equal(key)
      expect(await who(line)).to.equal(key)
    }
  })

  it('forgets with the next request whoever has logged out', async () => {
    const ada = await somebody()
    expect(await who(ada.line)).to.equal(ada.key)
    expect((await service.post('identity/logout', undefined, ada.headers)).status).to.equal(200)
    expect(await who(ada.line)).to.equal(401)
  })
})
