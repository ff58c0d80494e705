import { expect } from 'chai'
import { loggedError } from '../src/logged-error.ts'

describe('an error in the log', () => {
  it('is told by kind, words, place and code, with its causes', () => {
    const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 11_000 })
    const logged = loggedError(error) as Record<string, unknown>
    expect(logged).to.include({ type: 'TypeError', message: 'outer: inner', code: 11_000 })
    expect(logged['stack']).to.match(/outer[^]*logged-error\.test\.ts[^]*inner/)
  })

  it('leaves out what drivers hang on it, also on those that it gathers', () => {
    const failed = (text: string) =>
      Object.assign(new Error(text), { writeErrors: [{ op: { Name: 'Ada' } }], result: 'Ada', code: {} })
    const gathered = new AggregateError([failed('one'), failed('two')], 'both')
    for (const error of [failed('one'), gathered])
      expect(JSON.stringify(loggedError(error))).to.not.include('Ada')
    expect(JSON.stringify(loggedError(gathered))).to.include('"message":"two"')
  })

  it('may be something that is no error', () => {
    for (const thrown of ['text', undefined, 1]) expect(loggedError(thrown)).to.equal(thrown)
  })
})
