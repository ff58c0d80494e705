import { expect } from 'chai'
import type { Request } from 'express'
import { checkOrigin } from '../../../src/api/http/csrf.ts'
import { Refusal } from '../../../src/api/http/problems.ts'

const APP = 'https://app.example.com'

/** The status of a request by cookie; undefined when it passes. */
function refusal(method: string, origin?: string, appOrigin: string | undefined = APP): number | undefined {
  try {
    checkOrigin({ method, headers: { ...(origin !== undefined && { origin }) } } as Request, appOrigin)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problem.status
  }
}

const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE', 'FROBNICATE']

describe('a change by session cookie', () => {
  it('is taken from the application', () => {
    for (const method of UNSAFE) expect(refusal(method, APP), method).to.equal(undefined)
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
      `${APP}, https://evil.example`,
      'null',
      '',
      undefined,
    ]
    for (const method of UNSAFE)
      for (const origin of others) expect(refusal(method, origin), `${method} ${origin}`).to.equal(403)
  })

  it('is taken from nobody where no application is named', () => {
    const unnamed = (origin?: string) => {
      try {
        checkOrigin({ method: 'POST', headers: { origin } } as Request, undefined)
        return 'taken'
      } catch {
        return 'refused'
      }
    }
    for (const origin of [APP, 'undefined', '', undefined]) expect(unnamed(origin)).to.equal('refused')
  })

  it('is not looked for where nothing is changed', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const origin of ['https://evil.example', undefined])
        expect(refusal(method, origin)).to.equal(undefined)
  })
})
