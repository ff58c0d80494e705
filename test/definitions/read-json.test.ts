import { expect } from 'chai'
import fc from 'fast-check'
import { JsonSyntaxError, readJson } from '../../src/definitions/read-json.ts'

function faultOf(text: string): JsonSyntaxError {
  try {
    readJson(text)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error
    throw error
  }
  throw new Error(`was read: ${text}`)
}

describe('reading JSON with places', () => {
  it('reads what JSON.parse reads, however it is laid out', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(readJson(text).value).to.deep.equal(JSON.parse(text))
      }),
    ))

  it('refuses what JSON.parse refuses, and never takes what it refuses', () =>
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom('', ',', '"', '{', ']', '0', '\\', 'x', '\n', '-', '.'),
        (value, where, insert) => {
          const whole = JSON.stringify(value, null, 1)
          const at = where % (whole.length + 1)
          const text = whole.slice(0, at) + insert + whole.slice(at + 1)
          let parsed: unknown
          try {
            parsed = JSON.parse(text)
          } catch {
            expect(faultOf(text).place.line).to.be.at.least(1)
            return
          }
          try {
            expect(readJson(text).value).to.deep.equal(parsed)
          } catch (error) {
            expect((error as Error).message).to.contain('appears twice')
          }
        },
      ),
      { numRuns: 1000 },
    ))

  for (const [what, text, message, line, column] of [
    ['a comma too many', '{\n  "a": 1,\n}', 'expected a key in double quotes, found "}"', 3, 1],
    ['a comma that is missing', '{\n  "a": 1\n  "b": 2\n}', "expected ',' or '}', found \"\\\"\"", 3, 3],
    ['a list that does not end', '[1, 2', "expected ',' or ']', found the end of the file", 1, 6],
    ['an empty file', '', 'expected a value, found the end of the file', 1, 1],
    ['a comment', '// note\n{}', 'expected a value, found "/"', 1, 1],
    ['a value that is none', '{"a": yes}', 'expected a value, found "y"', 1, 7],
    ['text after the end', '{}\n}', 'expected nothing more, found "}"', 2, 1],
    ['a key that appears twice', '{"a": 1,\n "a": 2}', 'the key "a" appears twice', 2, 2],
  ] as const)
    it(`says where there is ${what}`, () => {
      const fault = faultOf(text)
      expect(fault.message).to.equal(message)
      expect(fault.place).to.deep.equal({ line, column })
    })

  it('knows where each value stands, and where its container stands when it is not there', () => {
    const { placeOf } = readJson('{\n  "fields": [\n    { "name": "A" },\n    { "name": "B" }\n  ]\n}')
    expect(placeOf(['fields', 1, 'name'])).to.deep.equal({ line: 4, column: 15 })
    expect(placeOf(['fields', 1, 'type'])).to.deep.equal({ line: 4, column: 5 })
    expect(placeOf([])).to.deep.equal({ line: 1, column: 1 })
  })

  it('passes over a byte order mark', () => expect(readJson('\ufeff{"a": 1}').value).to.deep.equal({ a: 1 }))

  it('refuses nesting that would exhaust the stack', () =>
    expect(faultOf('['.repeat(100_000)).message).to.equal('nested deeper than 32'))
})
