/** Logging in and out (docs/open-facts.md 13, 14, 27). Cookies are compared to the letter. */
import { expect } from 'chai'
import jwt from 'jsonwebtoken'
import {
  EMAIL,
  PASSWORD,
  testService,
  TOKEN,
  type Answer,
  type HeaderValues,
  type TestService,
} from '../../support/service.ts'
import { manualClock, type ManualClock } from '../../support/write-side.ts'
import {
  APP_ORIGIN,
  companyOf,
  COOKIE_DOMAIN,
  logIn,
  makeUser,
  NOBODY,
  withCookie,
} from './identity-support.ts'

const ATTRIBUTES = 'Domain=.example.com; Path=/; HttpOnly; Secure; SameSite=None'
const CLEARED = `.svc.auth=; ${ATTRIBUTES}; Expires=Thu, 01 Jan 1970 00:00:00 GMT`
const JWT = '[\\w-]+\\.[\\w-]+\\.[\\w-]+'

describe('logging in', () => {
  let service: TestService
  let clock: ManualClock
  let company: string
  before(async () => {
    clock = manualClock()
    service = await testService({ settings: { APP_ORIGIN, COOKIE_DOMAIN }, clock })
    company = await companyOf(service)
  })
  after(() => service.discard())
  /** Limits are a minute long. */
  beforeEach(() => clock.pass(61_000))

  const cookieOf = (answer: Answer) => answer.headers.get('Set-Cookie')
  const me = (answer: Answer) => service.get('identity/me', withCookie(answer))

  describe('with the right password', () => {
    it('answers the user record and sets exactly this cookie', async () => {
      const answer = await logIn(service)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.headers.getSetCookie()).to.have.length(1)
      expect(cookieOf(answer)).to.match(
        new RegExp(`^\\.svc\\.auth=${JWT}; ${ATTRIBUTES.replaceAll('.', '\\.')}$`),
      )
      const { Id, ...record } = answer.data
      expect(Id).to.match(/^user-/)
      expect(record).to.deep.equal({
        Email: EMAIL,
        Name: 'Administrator',
        Company: { Id: company, Name: 'My company' },
        Roles: ['system_admin', 'operator'],
      })
    })

    it('lets the cookie in, wherever a token is', async () => {
      const answer = await logIn(service)
      expect((await me(answer)).data).to.deep.equal(answer.data)
      const made = await service.post('tenant', { Name: 'Ada' }, withCookie(answer))
      expect(made.status, made.text).to.equal(201)
      expect(service.eventsOf(made.data.Id)[0]?.metadata['actor']).to.equal(answer.data.Id)
      expect((await service.get('tenant', withCookie(answer))).status).to.equal(200)
    })

    it('takes the address in any case', async () => {
      expect((await logIn(service, { Email: EMAIL.toUpperCase() })).status).to.equal(200)
    })

    it('takes the letters of a password however they are composed', async () => {
      const { Email, Id } = await makeUser(service)
      await service.patch(`identity/users/${Id}`, { Password: 'Zoë Zoë Zoë'.normalize('NFC') })
      expect((await logIn(service, { Email, Password: 'Zoë Zoë Zoë'.normalize('NFD') })).status).to.equal(200)
    })

    it('changes nothing with the cookie but for pages of the application', async () => {
      const { Cookie = '' } = withCookie(await logIn(service))
      const cookie = { ...NOBODY, Cookie }
      for (const headers of [
        cookie,
        { ...cookie, Origin: 'https://evil.example.com' },
        { ...cookie, Origin: 'null' },
      ])
        expect((await service.post('tenant', { Name: 'x' }, headers)).status).to.equal(403)
    })
  })

  describe('that fails', () => {
    it('is answered alike whatever the cause, without a cookie', async () => {
      const user = await makeUser(service)
      const inactive = await makeUser(service)
      await service.patch(`identity/users/${inactive.Id}`, { IsActive: false })
      const removed = await makeUser(service)
      await service.delete(`identity/users/${removed.Id}`)
      const suspended = await service.post('identity/companies', {
        Name: 'Suspended',
        AdminEmail: 'boss@example.com',
        AdminPassword: PASSWORD,
        IsSuspended: true,
      })
      const Password = user.Password
      const causes = [
        { ...user, Password: 'not the password' },
        { ...user, Password: '' },
        { ...user, Password: `${Password} ` },
        { Email: 'nobody@example.com', Password },
        { Email: 'no address', Password },
        { ...inactive },
        { ...removed },
        { ...user, CompanyKey: 'company-00000000000000000000000000' },
        { ...user, CompanyKey: 'nonsense' },
        { Email: 'boss@example.com', Password: PASSWORD, CompanyKey: suspended.data.Id },
        { ...user, CompanyKey: suspended.data.Id },
      ].map(({ Email, Password: sent, ...rest }) => ({ Email, Password: sent, ...rest, Id: undefined }))
      const answers = await Promise.all(causes.map((cause) => logIn(service, cause)))
      for (const [index, answer] of answers.entries()) {
        expect([answer.status, cookieOf(answer)], String(index)).to.deep.equal([401, null])
        expect(answer.text).to.equal(answers[0]!.text)
        const names = [...answer.headers.keys()].filter((name) => !name.startsWith('ratelimit')).sort()
        expect(names).to.deep.equal(
          [...answers[0]!.headers.keys()].filter((name) => !name.startsWith('ratelimit')).sort(),
        )
      }
      expect(answers[0]!.error).to.deep.equal({
        Code: 'UNAUTHORIZED',
        Message: 'The e-mail address, the password or the company is wrong.',
        Details: [],
      })
    })

    it('because it names no company, where there are several, says so', async () => {
      await service.post('identity/companies', {
        Name: 'Another',
        AdminEmail: 'another@example.com',
        AdminPassword: PASSWORD,
      })
      const answer = await service.post('identity/login', { Email: EMAIL, Password: PASSWORD }, NOBODY)
      expect([answer.status, answer.faults]).to.deep.equal([400, ['CompanyKey: is required']])
    })

    it('because it is malformed says what is wrong, before anything is tried', async () => {
      const right = { Email: EMAIL, Password: PASSWORD, CompanyKey: company }
      const wrong: [object, string][] = [
        [{ Email: { $ne: null } }, 'Email: must be text'],
        [{ Email: [EMAIL] }, 'Email: must be text'],
        [{ Password: { $gt: '' } }, 'Password: must be text'],
        [{ Password: ['a'] }, 'Password: must be text'],
        [{ Password: null }, 'Password: must be text'],
        [{ Password: 'x'.repeat(257) }, 'Password: is longer than 256 characters'],
        [{ CompanyKey: 1 }, 'CompanyKey: must be text'],
        [{ Email: undefined }, 'Email: is required'],
        [
          { Remember: true },
          'Remember: is unknown or assigned by the service; it takes Email, Password, CompanyKey',
        ],
      ]
      for (const [member, fault] of wrong) {
        const answer = await service.post('identity/login', { ...right, ...member }, NOBODY)
        expect([answer.status, answer.faults], fault).to.deep.equal([400, [fault]])
      }
      for (const body of ['[]', '"x"', 'null', '{'])
        expect(
          (await service.send('POST', 'identity/login', { body, headers: NOBODY })).status,
          body,
        ).to.equal(400)
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
      expect(
        (await service.send('POST', 'identity/login', { body: 'Email=x', headers: form })).status,
      ).to.equal(415)
      expect((await service.post('identity/login?token=x', right, NOBODY)).status).to.equal(400)
    })

    it('is not tried more than ten times a minute for an account from an address', async () => {
      const { Email } = await makeUser(service)
      const tries = []
      for (let i = 0; i < 12; i++) tries.push(await logIn(service, { Email, Password: 'not the password' }))
      expect(tries.map(({ status }) => status)).to.deep.equal([...Array<number>(10).fill(401), 429, 429])
      const last = tries.at(-1)!
      expect(last.error.Code).to.equal('RATE_LIMITED')
      expect(Number(last.headers.get('Retry-After'))).to.be.within(1, 60)
      expect((await logIn(service)).status, 'another account').to.equal(200)
      clock.pass(61_000)
      expect((await logIn(service, { Email, Password: 'not the password' })).status).to.equal(401)
    })
  })

  it('is refused at once, and with no line in the log, when too many try at the same time', async () => {
    const logged = service.logged.length
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        logIn(service, { Email: `nobody-${n}@example.com`, CompanyKey: `company-${n}` }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).to.be.within(1, 79)
    expect(answers.filter(({ status }) => status === 401)).to.have.length(80 - refused.length)
    for (const { error, headers } of refused)
      expect([error.Code, headers.get('Retry-After')]).to.deep.equal(['RATE_LIMITED', '1'])
    expect((await logIn(service)).status).to.equal(200)
    expect(service.logged.slice(logged)).to.deep.equal([])
  })

  describe('and out', () => {
    it('ends the session at once, clears exactly the cookie that was set, and may be repeated', async () => {
      const session = await logIn(service)
      for (let i = 0; i < 2; i++) {
        const answer = await service.post('identity/logout', undefined, withCookie(session))
        expect([answer.status, answer.json]).to.deep.equal([200, { Success: true, Data: {} }])
        expect(answer.headers.getSetCookie()).to.deep.equal([CLEARED])
        expect((await me(session)).status).to.equal(401)
      }
    })

    it('takes any body, and needs nobody to be logged in', async () => {
      for (const body of [undefined, '{}', 'no JSON', '{"a":{"b":1}}']) {
        const answer = await service.send('POST', 'identity/logout', { body, headers: NOBODY })
        expect([answer.status, cookieOf(answer)]).to.deep.equal([200, CLEARED])
      }
    })

    it('is for pages of the application only', async () => {
      const session = await logIn(service)
      const { Origin: _, ...withoutOrigin } = withCookie(session)
      for (const headers of [withoutOrigin, { ...withoutOrigin, Origin: 'https://evil.example.com' }])
        expect((await service.post('identity/logout', undefined, headers)).status).to.equal(403)
      expect((await me(session)).status).to.equal(200)
    })

    it('and in, and any change, is for the service’s own pages too', async () => {
      const { origin: Origin } = new URL(service.url)
      const login = { Email: EMAIL, Password: PASSWORD, CompanyKey: await companyOf(service) }
      const session = await service.post('identity/login', login, { ...NOBODY, Origin })
      const own = { ...withCookie(session), Origin, 'Sec-Fetch-Site': 'same-origin' }
      expect((await service.post('tenant', { Name: 'Ann' }, own)).status).to.equal(201)
      const foreign = { ...own, 'Sec-Fetch-Site': 'cross-site' }
      expect((await service.post('tenant', { Name: 'Ann' }, foreign)).status).to.equal(403)
      expect((await service.post('identity/logout', undefined, own)).status).to.equal(200)
    })

    it('and in again is not for pages of others', async () => {
      const login = { Email: EMAIL, Password: PASSWORD, CompanyKey: await companyOf(service) }
      const statusOf = async (origin: HeaderValues) => {
        const answer = await service.post('identity/login', login, { ...NOBODY, ...origin })
        return [answer.status, answer.headers.has('Set-Cookie')]
      }
      for (const Origin of ['https://evil.example.com', 'null', `${APP_ORIGIN}.evil.example.com`])
        expect(await statusOf({ Origin }), Origin).to.deep.equal([403, false])
      expect(await statusOf({ Origin: APP_ORIGIN })).to.deep.equal([200, true])
      expect(await statusOf({})).to.deep.equal([200, true])
    })

    it('leaves the user’s other sessions, and the tokens, alone', async () => {
      const [one, other] = [await logIn(service), await logIn(service)]
      await service.post('identity/logout', undefined, withCookie(one))
      expect((await me(other)).status).to.equal(200)
      expect((await service.get('identity/me')).status).to.equal(200)
    })
  })

  describe('for a time', () => {
    it('lasts a day of silence by default; while it is used the cookie is set again, the same but for its time', async () => {
      const session = await logIn(service)
      clock.pass(2 * 3_600_000)
      expect(cookieOf(await me(session)), 'not much has passed').to.equal(null)
      clock.pass(3_600_000)
      const renewed = await me(session)
      expect(renewed.status).to.equal(200)
      expect(cookieOf(renewed)).to.match(
        new RegExp(`^\\.svc\\.auth=${JWT}; ${ATTRIBUTES.replaceAll('.', '\\.')}$`),
      )
      expect(cookieOf(renewed)).to.not.equal(cookieOf(session))
      clock.pass(22 * 3_600_000)
      expect((await me(session)).status, 'the first cookie').to.equal(401)
      expect((await me(renewed)).status, 'the renewed cookie').to.equal(200)
      clock.pass(3 * 3_600_000)
      expect((await me(renewed)).status).to.equal(401)
    })

    it('is what the company says, also for those who are logged in', async () => {
      const session = await logIn(service)
      await service.patch(`identity/companies/${company}`, {
        SessionTimeoutMinutes: 10,
        SessionRenewal: 'Fixed',
      })
      clock.pass(9 * 60_000)
      const late = await me(session)
      expect([late.status, cookieOf(late)]).to.deep.equal([200, null])
      clock.pass(2 * 60_000)
      expect((await me(session)).status).to.equal(401)
      await service.patch(`identity/companies/${company}`, {
        SessionTimeoutMinutes: 1_440,
        SessionRenewal: 'Sliding',
      })
    })

    it('is not lengthened by a clock that is set back', async () => {
      const session = await logIn(service)
      clock.pass(20 * 3_600_000)
      clock.jump(new Date(clock.now() - 20 * 3_600_000).toISOString())
      clock.pass(5 * 3_600_000)
      expect((await me(session)).status).to.equal(401)
      clock.jump(new Date(clock.now() + 20 * 3_600_000).toISOString())
    })
  })

  describe('with a cookie that was tampered with', () => {
    const withValue = (value: string) =>
      service.get('identity/me', { ...NOBODY, Cookie: `.svc.auth=${value}`, Origin: APP_ORIGIN })

    it('is 401, without a word about why', async () => {
      const value = /^\.svc\.auth=([^;]+)/.exec(cookieOf(await logIn(service)) ?? '')?.[1] ?? ''
      expect((await withValue(value)).status).to.equal(200)
      const [head = '', body = '', signature = ''] = value.split('.')
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
      const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
      const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
      const forged = (more: object, key = 'a key') =>
        jwt.sign({ ...claims, ...more }, key, {
          header: { alg: 'HS256', kid: header.kid, typ: 'session+jwt' },
        })
      const reference = await withValue('')
      for (const wrong of [
        `${head}.${part({ ...claims, exp: 99_999_999_999 })}.${signature}`,
        `${part({ ...header, alg: 'none' })}.${body}.`,
        `${part({ ...header, alg: 'none' })}.${body}.${signature}`,
        `${part({ ...header, kid: 'AAAAAAAA.20000' })}.${body}.${signature}`,
        `${part({ ...header, kid: '../../etc/passwd' })}.${body}.${signature}`,
        `${part({ ...header, alg: 'HS512' })}.${body}.${signature}`,
        forged({}),
        forged({ company: 'company-00000000000000000000000000' }),
        value.slice(0, -2),
        `${value}x`,
        `${value}.${value}`,
        'x'.repeat(4_000),
        '..',
        TOKEN,
      ]) {
        const answer = await withValue(wrong)
        expect([answer.status, answer.text], wrong.slice(0, 60)).to.deep.equal([401, reference.text])
      }
    })

    it('or that comes twice is refused', async () => {
      const { Cookie = '' } = withCookie(await logIn(service))
      for (const twice of [`${Cookie}; ${Cookie}`, `${Cookie}; .svc.auth=x`, `.svc.auth=; a=b; ${Cookie}`])
        expect((await service.get('identity/me', { ...NOBODY, Cookie: twice })).status, twice).to.equal(401)
      const among = { ...NOBODY, Cookie: `a=b; x.svc.auth=1; ${Cookie}; .svc.authx=2` }
      expect((await service.get('identity/me', among)).status).to.equal(200)
    })

    it('and beside a token that is not valid helps nobody', async () => {
      const { Cookie = '' } = withCookie(await logIn(service))
      expect(
        (await service.get('identity/me', { Cookie, Authorization: 'Bearer nonsense' })).status,
      ).to.equal(401)
      expect((await service.get('identity/me', { Cookie, Authorization: 'Basic eDp5' })).status).to.equal(401)
    })
  })

  it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
})

describe('a login that names no company', () => {
  it('is for the only one that there is, until there is a second', async () => {
    const service = await testService()
    try {
      const [login, company] = [{ Email: EMAIL, Password: PASSWORD }, await companyOf(service)]
      const answer = await service.post('identity/login', login, NOBODY)
      expect([answer.status, answer.data['Company']]).to.deep.equal([
        200,
        { Id: company, Name: 'My company' },
      ])
      expect((await service.post('identity/login', { ...login, Password: 'x' }, NOBODY)).status).to.equal(401)
      const second = { Name: 'Second', AdminEmail: EMAIL, AdminPassword: PASSWORD }
      expect((await service.post('identity/companies', second)).status).to.equal(201)
      expect((await service.post('identity/login', login, NOBODY)).faults).to.deep.equal([
        'CompanyKey: is required',
      ])
    } finally {
      await service.discard()
    }
  })
})
