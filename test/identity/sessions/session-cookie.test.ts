import { expect } from 'chai'
import fc from 'fast-check'
import { COOKIE, cookiesIn } from '../../../src/identity/sessions/session-cookie.ts'

/** As a cookie header is told in words: parts between semicolons, a name before the first `=`. */
function told(header: string): string[] {
  return header.split(';').flatMap((part) => {
    const [name = '', ...value] = part.split('=')
    return value.length > 0 && name.trim() === COOKIE ? [value.join('=').trim()] : []
  })
}

describe('cookies in a header', () => {
  it('are those of the name, whatever stands beside them', () => {
    for (const [header, values] of [
      ['.svc.auth=abc', ['abc']],
      ['a=1; .svc.auth=abc; b=2', ['abc']],
      ['a=1;.svc.auth = abc ;b=2', ['abc']],
      ['.svc.auth=a=b==', ['a=b==']],
      ['.svc.auth=', ['']],
      ['.svc.auth=one; .svc.auth=two', ['one', 'two']],
      ['.svc.auth=one;.svc.auth=one', ['one', 'one']],
      ['x.svc.auth=abc; .svc.authx=abc; .SVC.AUTH=abc', []],
      ['x=.svc.auth=abc', []],
      ['=.svc.auth=abc', []],
      ['.svc.auth', []],
      ['.svc.auth; a=1', []],
      [' \t.svc.auth\t=abc\t', ['abc']],
      [';;; ;', []],
      ['', []],
      [undefined, []],
    ] as const)
      expect(cookiesIn(header), String(header)).to.deep.equal(values)
  })

  it('are found in every header as in one that is taken apart', () => {
    const piece = fc.constantFrom(COOKIE, COOKIE, 'svc', '.', '=', '=', ';', ';', ' ', '\t', 'a')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const header = pieces.join('')
        expect(cookiesIn(header), header).to.deep.equal(told(header))
      }),
      { numRuns: 2_000 },
    )
  })
})
