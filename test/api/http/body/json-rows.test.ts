import { expect } from 'chai'
import fc from 'fast-check'
import { parseRows } from '../../../../src/api/http/body/json-rows.ts'
import { pace } from '../../../../src/api/http/limits/pace.ts'
import { Invalid } from '../../../../src/domain/errors.ts'

const rows = { member: 'Records', most: 500 }
const parsed = (text: string | Buffer) => parseRows(Buffer.from(text), rows)

async function refusal(text: string | Buffer): Promise<string> {
  try {
    await parsed(text)
  } catch (error) {
    if (error instanceof Invalid)
      return error.faults.map(({ Field, Message }) => `${Field}: ${Message}`).join('; ')
    throw error
  }
  return `taken: ${text.toString().slice(0, 200)}`
}

describe('a body of rows', () => {
  it('is what JSON.parse makes of it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            Records: fc.oneof(
              fc.array(fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), { maxLength: 20 }),
              fc.jsonValue(),
            ),
            AllowPastDates: fc.jsonValue({ maxDepth: 2 }),
            Other: fc.jsonValue({ maxDepth: 3 }),
            __proto__: fc.integer(),
          },
          { requiredKeys: [] },
        ),
        fc.constantFrom(undefined, 1, '\t', '\r\n  '),
        async (body, indent) => {
          const text = JSON.stringify(body, undefined, indent)
          // Numbers that lose digits are refused; they are not what this is about.
          fc.pre(!/\d{16}|\de[-+]?\d{3}|\.\d{15}/.test(text) && Buffer.from(text).toString() === text)
          expect(await parsed(text)).to.deep.equal(JSON.parse(text))
        },
      ),
    ))

  it('is what JSON.parse makes of it, or is refused as it is there, whatever was done to the text', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom('"Records"', '[', ']', '{', '}', ',', ':', ' ', '1', '"a"', 'null', '"Records":['),
          {
            maxLength: 14,
          },
        ),
        async (tokens) => {
          const text = tokens.join('')
          let value: unknown
          try {
            value = JSON.parse(text)
          } catch {
            expect(await refusal(text), text).to.match(/is not valid JSON|more than once/)
            return
          }
          if ((text.match(/"Records":\[/g) ?? []).length > 1) return
          expect(await parsed(text), text).to.deep.equal(value)
        },
      ),
      { numRuns: 2_000 },
    ))

  it('may hold its rows anywhere, and brackets and commas within texts', async () => {
    for (const text of [
      '{"Records":[]}',
      '{"Records":[ \n ]}',
      '{"a":{"Records":[1,2]},"Records":[3,[4,5],{"x":[6,","]}]}',
      '{"Records":["],[\\"",{"a":"}{"}],"AllowPastDates":true}',
      '{"Rec\\u006frds":[1,2]}',
      '{"Records":{"Records":[1]}}',
      '["Records",[1,2]]',
      '"Records"',
      '[[1],[2]]',
    ])
      expect(await parsed(text), text).to.deep.equal(JSON.parse(text))
  })

  it('has texts of any length, with quotes and backslashes anywhere', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom('"', '\\', '\\\\', 'x'.repeat(45), 'y', ']'), { maxLength: 12 }), {
          maxLength: 4,
        }),
        async (texts) => {
          const Records = texts.map((parts) => ({ [parts.join('')]: parts.join('') }))
          expect(await parsed(JSON.stringify({ Records }))).to.deep.equal({ Records })
        },
      ),
      { numRuns: 500 },
    ))

  it('says which row is no JSON', async () => {
    expect(await refusal('{"Records":[{},{"a":},{}]}')).to.match(/^Records\[1\]: is not valid JSON: /)
    expect(await refusal('{"Records":[{},]}')).to.match(/^Records\[1\]: is not valid JSON: /)
    expect(await refusal('{"Records":[{}],}')).to.match(/^: is not valid JSON: /)
    expect(await refusal('{"Records":[{}')).to.match(/^: is not valid JSON: /)
  })

  it('holds no more rows than it may, and names them once', async () => {
    expect(await refusal(`{"Records":[${Array(501).fill('{}').join()}]}`)).to.equal(
      'Records: must hold 1 to 500 records',
    )
    expect(await parsed(`{"Records":[${Array(500).fill('{}').join()}]}`))
      .to.have.property('Records')
      .with.length(500)
    expect(await refusal('{"Records":[1],"Records":[2]}')).to.equal('Records: was given more than once')
  })

  it('has no rows without a member of that name', async () => {
    expect(await parsed('["Records",[1,2]]')).to.deep.equal(['Records', [1, 2]])
    expect(await refusal(`["Records",[${'"xxxxx",'.repeat(15_000)}1]]`)).to.equal(
      ': holds more than 65536 bytes beside Records',
    )
  })

  it('has numbers of at most 1,000 characters', async () => {
    const number = (zeros: number) => `{"Records":[{"Ratio":1.${'0'.repeat(zeros)}}]}`
    expect(await parsed(number(998))).to.deep.equal({ Records: [{ Ratio: 1 }] })
    expect(await refusal(number(999))).to.equal('Records[0].Ratio: has more digits than are kept exactly')
  })

  it('is held to depth, digits and UTF-8 like any other', async () => {
    expect(await refusal(`{"Records":[${'['.repeat(40)}${']'.repeat(40)}]}`)).to.match(
      /nested deeper than 32/,
    )
    expect(await refusal('{"Records":[{"Amount":0.12345678901234567890}]}')).to.equal(
      'Records[0].Amount: has more digits than are kept exactly',
    )
    for (const row of [
      '{"Price":{"Amount":1e400}}',
      '{"Price":[{"x":1},1e400]}',
      '{"a":{"b":1},"Price":1e400}',
    ])
      expect(await refusal(`{"Records":[{"Price":{"Amount":1}},${row}]}`)).to.equal(
        'Records[1].Price: has more digits than are kept exactly',
      )
    expect(await refusal(Buffer.from([0x22, 0xff, 0x22]))).to.equal(': is not valid UTF-8')
  })

  it('may give others their turn at every slice of the text and at every row', async () => {
    const row = JSON.stringify({ Text: 'word '.repeat(4_000) })
    const body = Buffer.from(`{"Records":[${Array(400).fill(row).join()}]}`)
    let turns = 0
    let over = false
    const count = () => {
      turns++
      if (!over) setImmediate(count)
    }
    count()
    await parseRows(body, rows, pace(0))
    over = true
    expect(turns).to.be.at.least(425)
  })
})
