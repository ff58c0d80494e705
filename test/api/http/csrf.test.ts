import { expect } from 'chai'
import type { Request } from 'express'
import { checkForeign, checkOrigin, originsOf } from '../../../src/api/http/csrf.ts'
import { Refusal } from '../../../src/api/http/problems.ts'

const APP = 'https://app.example.com'
const OWN = 'https://daybook.example.com:8443'
const origins = originsOf(APP, () => `${OWN}/`)

/** The status of a request by cookie; undefined when it passes. */
function refusal(
  method: string,
  origin?: string,
  site?: string,
  { check = checkOrigin, of = origins } = {},
): number | undefined {
  const headers = { ...(origin !== undefined && { origin }), ...(site && { 'sec-fetch-site': site }) }
  try {
    check({ method, headers } as unknown as Request, of)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problem.status
  }
}

const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE', 'FROBNICATE']

describe('a change by session cookie', () => {
  it('is taken from the application and from the service itself', () => {
    for (const method of UNSAFE)
      for (const origin of [APP, OWN]) expect(refusal(method, origin), method).to.equal(undefined)
  })

  it('is refused from every other origin, and from none', () => {
    const others = [
      'https://evil.example',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.example',
      'https://sub.app.example.com',
      'https://app.example.com/',
      'HTTPS://APP.EXAMPLE.COM',
      'https://daybook.example.com',
      `${OWN}/`,
      `${APP}, https://evil.example`,
      'null',
      '',
      undefined,
    ]
    for (const method of UNSAFE)
      for (const origin of others) expect(refusal(method, origin), `${method} ${origin}`).to.equal(403)
  })

  it('is taken from the service alone where no application is named', () => {
    const of = originsOf(undefined, () => OWN)
    expect(refusal('POST', OWN, 'same-origin', { of })).to.equal(undefined)
    for (const origin of [APP, 'undefined', '', undefined])
      expect(refusal('POST', origin, undefined, { of })).to.equal(403)
  })

  it('is refused where the browser says that it comes from another site, but for the application', () => {
    expect(refusal('POST', OWN, 'cross-site')).to.equal(403)
    expect(refusal('POST', APP, 'cross-site')).to.equal(undefined)
    for (const site of ['same-origin', 'same-site', 'none'])
      expect(refusal('POST', OWN, site), site).to.equal(undefined)
  })

  it('needs no origin where no cookie counts, but never a foreign one: login and logout', () => {
    const check = checkForeign
    for (const origin of [undefined, OWN, APP])
      expect(refusal('POST', origin, undefined, { check })).to.equal(undefined)
    for (const origin of ['https://evil.example', 'null', ''])
      expect(refusal('POST', origin, undefined, { check })).to.equal(403)
    expect(refusal('POST', undefined, 'cross-site', { check })).to.equal(403)
  })

  it('is not looked for where nothing is changed', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const origin of ['https://evil.example', undefined])
        expect(refusal(method, origin)).to.equal(undefined)
  })
})
