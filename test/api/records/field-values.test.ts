/** What each type of field takes and refuses over HTTP, in a body that comes from anywhere. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { testService, type TestService } from '../../support/service.ts'
import { definitionsFolder, everyField, gadget } from '../../system/support/gadget.ts'

const NEVER = '0'.repeat(26)

/** What every type refuses, each in its own words; null is no value and is taken. */
const MISFITS: readonly unknown[] = [
  { $gt: '' },
  { $ne: null },
  { toString: 1 },
  [],
  [null],
  ['text'],
  [[]],
  { Id: 'x' },
  {},
]

const refused: { readonly [field: string]: readonly unknown[] } = {
  Name: [1, true, 'x'.repeat(201), 'a\u0000b', 'half \ud83d', '\udc00'],
  Code: [0, false, '\u0000', 'x'.repeat(1_001)],
  Serial: ['7', 1.5, true],
  Story: [1, 'x'.repeat(100_001), 'a\u0000b', '\ud800'],
  Count: ['1', '', 1.5, 9007199254740992, true, -9007199254740993],
  Level: [0, 11, -1, '5'],
  Ratio: ['0.1', '', 'NaN', 'Infinity', false],
  Flag: ['true', 'false', 0, 1, ''],
  Day: [
    '2027-02-29',
    '2026-13-01',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    '',
    20260101,
    '0000-01-01',
  ],
  Moment: [
    '2026-03-01',
    '2026-03-01T25:00:00Z',
    '2026-03-01T09:30:60Z',
    '2026-03-01T09:30:00',
    '2026-02-30T00:00:00Z',
    1740000000,
    '',
    '0001-01-01T00:00:00+01:00',
  ],
  Price: [
    5,
    '5',
    'EUR 5',
    { Amount: 5 },
    { Currency: 'EUR' },
    { Amount: '5', Currency: 'EUR' },
    { Amount: 5, Currency: 'eur' },
    { Amount: 5, Currency: 'ABC' },
    { Amount: 5, Currency: null },
    { Amount: null, Currency: 'EUR' },
    { Amount: 0.001, Currency: 'EUR' },
    { Amount: 0.5, Currency: 'JPY' },
    { Amount: -1, Currency: 'EUR' },
    { Amount: 5, Currency: 'EUR', Rate: 1 },
    { Amount: 5, Currency: { $ne: null } },
    { amount: 5, currency: 'EUR' },
  ],
  Colour: [1, true, 'x'.repeat(101), '\u0000'],
  Size: ['XL', 's', '', 'S ', 1],
  Parent: [
    'gadget-1',
    `tenant-${NEVER}`,
    `gadget-${NEVER}`,
    `GADGET-${NEVER}`,
    `gadget-${NEVER}0`,
    '',
    1,
    { Id: `gadget-${NEVER}`, Name: 'as it is read' },
  ],
  Mail: [
    'post',
    'post@',
    '@example.com',
    'a b@example.com',
    'a@b',
    'a@example.com\r\nBcc: x@example.com',
    '',
    1,
  ],
  Link: [
    'example.com',
    'javascript:alert(1)',
    'ftp://example.com',
    'http://',
    'https://a b',
    '//example.com',
    '',
    1,
  ],
}

describe('the value of a field over HTTP', () => {
  const folder = definitionsFolder(gadget)
  let service: TestService
  let serial = 0

  before(async () => {
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  const create = (body: unknown) => service.post('gadget', body)

  it('is read back as it was sent, whatever its type', async () => {
    const { Id: parent } = await service.create('gadget', { Name: 'Parent' })
    const { Id: tenant } = await service.create('tenant', { Name: 'Ada' })
    const answer = await create({ ...everyField, Parent: parent, Tenant: tenant })
    expect(answer.status, answer.text).to.equal(201)
    const { Id, GadgetNumber, CreatedAt, ModifiedAt } = answer.data
    const expected = {
      Id,
      GadgetNumber,
      ...everyField,
      Parent: { Id: parent, Name: 'Parent' },
      Tenant: { Id: tenant, Name: 'Ada' },
      CreatedAt,
      ModifiedAt,
    }
    expect(answer.data).to.deep.equal(expected)
    expect((await service.get(`gadget/${Id}`)).data).to.deep.equal(expected)
    expect((await service.list('gadget', { filter: `Id eq '${Id}'` })).list).to.deep.equal([expected])
  })

  it('is kept in one form where it can be written in several', async () => {
    const forms: readonly (readonly [string, string, unknown])[] = [
      ['Moment', '"2026-03-01T10:30:00+01:00"', '2026-03-01T09:30:00Z'],
      ['Moment', '"2026-03-01T09:30:00.999Z"', '2026-03-01T09:30:00Z'],
      ['Moment', '"2026-03-01T09:30Z"', '2026-03-01T09:30:00Z'],
      ['Count', '-0', 0],
      ['Count', '1e3', 1000],
      ['Ratio', '12.50', 12.5],
      ['Ratio', '1.25E1', 12.5],
      ['Ratio', '-0.0', 0],
      ['Price', '{"Currency":"EUR","Amount":10.00}', { Amount: 10, Currency: 'EUR' }],
      ['Price', '{"Amount":-0,"Currency":"EUR"}', { Amount: 0, Currency: 'EUR' }],
      ['Name', '"\\u0041\\ud83d\\ude00"', 'A😀'],
    ]
    for (const [field, sent, read] of forms) {
      const answer = await create(`{"Name":"form","${field}":${sent}}`)
      expect(answer.status, `${field} ${sent}`).to.equal(201)
      expect(answer.data[field], `${field} ${sent}`).to.deep.equal(read)
      expect(answer.text).to.include(`"${field}":${JSON.stringify(read)}`)
    }
  })

  it('may lie at the edge of what its type takes', async () => {
    const edges: Fields = {
      Name: 'x'.repeat(200),
      Story: '😀'.repeat(100_000),
      Count: Number.MAX_SAFE_INTEGER,
      Ratio: Number.MAX_VALUE,
      Day: '9999-12-31',
      Moment: '0001-01-01T00:00:00Z',
      Price: { Amount: 9999999999999.99, Currency: 'EUR' },
      Colour: 'x'.repeat(100),
    }
    for (const [field, value] of Object.entries(edges)) {
      const answer = await create({ Name: 'edge', [field]: value })
      expect(answer.status, `${field}: ${answer.text.slice(0, 300)}`).to.equal(201)
      expect(answer.data[field], field).to.deep.equal(value)
    }
  })

  for (const [field, values] of Object.entries(refused)) {
    const type = gadget.fields.find(({ name }) => name === field)?.type ?? ''
    it(`is refused where ${field}, ${type}, cannot take it, by POST, PUT and PATCH alike`, async () => {
      const { Id } = await service.create('gadget', { Name: `for ${field}` })
      for (const value of [...values, ...MISFITS]) {
        // PATCH merges into money: the parts that are sent must be wrong by themselves, and here nothing is there yet.
        const body = { ...(field !== 'Name' && { Name: 'refused' }), [field]: value }
        for (const [method, path] of [
          ['POST', 'gadget'],
          ['PUT', `gadget/${Id}`],
          ['PATCH', `gadget/${Id}`],
        ] as const) {
          const answer = await service.send(method, path, { body })
          const tried = `${method} ${JSON.stringify(value)?.slice(0, 100)}: ${answer.text.slice(0, 300)}`
          expect(answer.status, tried).to.equal(400)
          expect(answer.error.Code).to.equal('VALIDATION_ERROR')
          expect([...new Set(answer.error.Details.map(({ Field }) => Field))], tried).to.deep.equal([field])
        }
      }
      expect((await service.get(`gadget/${Id}`)).headers.get('ETag'), 'nothing was written').to.equal('"1"')
    })
  }

  it('is never a member that JavaScript objects have anyway', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '$set',
      'name',
      'ID',
    ]) {
      const answer = await create(`{"Name":"proto","${name}":{"Name":"polluted","isAdmin":true}}`)
      expect(answer.status, name).to.equal(400)
      const meant = name === 'name' ? '; did you mean Name?' : ''
      expect(answer.faults).to.deep.equal([`${name}: gadget has no such field${meant}`])
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).to.equal(undefined)
  })

  describe('of type json', () => {
    const createData = (data: string) => create(`{"Name":"data","Data":${data}}`)

    it('is any JSON, members in their order', async () => {
      for (const data of ['0', '"text"', 'false', '[]', '{}', '[[],{}]', '{"b":1,"a":{"$where":"1"},"":0}']) {
        const answer = await createData(data)
        expect(answer.status, data).to.equal(201)
        expect(JSON.stringify(answer.data['Data'])).to.equal(data)
      }
    })

    it('is refused with a member __proto__, at any depth, whatever the method', async () => {
      const { Id } = await service.create('gadget', { Name: 'json', Data: { Kept: { Too: 1 } } })
      for (const data of ['{"__proto__":{"x":1}}', '{"Kept":{"__proto__":{"x":1}}}', '[{"__proto__":1}]']) {
        const body = `{"Data":${data}}`
        expect((await createData(data)).status, `POST ${data}`).to.equal(400)
        expect((await service.put(`gadget/${Id}`, body)).status, `PUT ${data}`).to.equal(400)
        expect((await service.patch(`gadget/${Id}`, body)).status, `PATCH ${data}`).to.equal(400)
      }
      expect((await service.get(`gadget/${Id}`)).data['Data']).to.deep.equal({ Kept: { Too: 1 } })
    })

    it('keeps constructor, prototype and the like as the plain names they are', async () => {
      const data = { constructor: { prototype: { x: 1 } }, toString: 'text', hasOwnProperty: null }
      const { Id } = await service.create('gadget', { Name: 'json', Data: data })
      const { data: merged } = await service.patch(`gadget/${Id}`, {
        Data: { constructor: { y: 2 }, valueOf: { z: 3 } },
      })
      expect(merged['Data']).to.deep.equal({
        constructor: { prototype: { x: 1 }, y: 2 },
        toString: 'text',
        hasOwnProperty: null,
        valueOf: { z: 3 },
      })
    })

    it('is merged by PATCH and replaced by PUT', async () => {
      const { Id } = await service.create('gadget', {
        Name: 'json',
        Data: { a: 1, b: { c: 2, d: 3 }, e: [1] },
      })
      const patched = await service.patch(`gadget/${Id}`, { Data: { a: null, b: { c: 4 }, e: [2], f: 5 } })
      expect(patched.data['Data']).to.deep.equal({ b: { c: 4, d: 3 }, e: [2], f: 5 })
      const replaced = await service.put(`gadget/${Id}`, { Data: { g: 6 } })
      expect(replaced.data['Data']).to.deep.equal({ g: 6 })
      expect((await service.patch(`gadget/${Id}`, { Data: null })).data['Data']).to.equal(null)
    })

    it('is refused with text that cannot be stored', async () => {
      for (const data of ['"\\u0000"', '["\\ud800"]', '{"a\\u0000":1}', '{"\\udfff":1}'])
        expect((await createData(data)).status, data).to.equal(400)
    })
  })

  describe('that is a number', () => {
    it('is refused when it has more digits than are kept, naming the field', async () => {
      const long: readonly (readonly [string, string])[] = [
        ['Ratio', '0.1234567890123456789'],
        ['Ratio', '1e400'],
        ['Ratio', '-1e400'],
        ['Ratio', '1e-400'],
        ['Ratio', '123456789.12345678901'],
        ['Count', '12345678901234567890'],
        ['Count', '9007199254740993'],
        ['Count', '1e16'],
        ['Price', '{"Amount":0.12345678901234567890,"Currency":"EUR"}'],
        ['Price', '{"Amount":1e400,"Currency":"EUR"}'],
        ['Price', '{"Amount":90071992547409.93,"Currency":"EUR"}'],
        ['Data', '{"deep":[0.1234567890123456789]}'],
        ['Data', '[1,2,1E400]'],
      ]
      for (const [field, value] of long)
        for (const body of [`{"Name":"n","${field}":${value}}`, `{\n\t"${field}" :\n${value} ,"Name":"n"}`]) {
          const answer = await create(body)
          expect(answer.status, body).to.equal(400)
          expect(answer.error.Code).to.equal('VALIDATION_ERROR')
          expect(answer.faults, body).to.deep.equal([`${field}: has more digits than are kept exactly`])
        }
    })

    it('is taken when a double keeps it exactly, however it is written', async () => {
      const exact = [
        '0.1000000000000000000000',
        '9007199254740992.0e0',
        '5e-324',
        '123456789012345e5',
        '1.5E+3',
      ]
      // Python writes 0.00001 as 1e-05.
      for (const value of [...exact, '1e-05', '100e-2', '-1.25e-3', '0.00001', '0e-9'])
        expect((await create(`{"Name":"n","Ratio":${value}}`)).status, value).to.equal(201)
    })

    it('is not looked for in text', async () => {
      const text = 'order: 0.1234567890123456789, [12345678901234567890, 1e400] "1e999"'
      expect((await create({ Name: text })).data['Name']).to.equal(text)
    })

    it('is no JSON when it is written as only other languages write it', async () => {
      for (const value of ['NaN', 'Infinity', '0x10', '01', '.5', '1.', '+1', '1_000'])
        expect((await create(`{"Name":"n","Ratio":${value}}`)).status, value).to.equal(400)
    })
  })

  it('that is unique is refused a second time, and free again when it is changed or its record deleted', async () => {
    for (const [field, value, other] of [
      ['Code', 'unique', 'other'],
      ['Serial', 4711, 4712],
    ] as const) {
      const first = await service.create('gadget', { Name: 'first', [field]: value })
      const second = await create({ Name: 'second', [field]: value })
      expect([second.status, second.error.Code]).to.deep.equal([409, 'CONFLICT'])
      expect(second.error.Details.map(({ Field }) => Field)).to.deep.equal([field])

      await service.patch(`gadget/${first.Id}`, { [field]: other })
      const third = await service.create('gadget', { Name: 'third', [field]: value })
      expect((await service.patch(`gadget/${first.Id}`, { [field]: value })).status).to.equal(409)
      await service.delete(`gadget/${third.Id}`)
      expect((await service.patch(`gadget/${first.Id}`, { [field]: value })).status).to.equal(200)

      const restored = await service.post(`gadget/${third.Id}/restore`)
      expect([restored.status, restored.error.Details.map(({ Field }) => Field)]).to.deep.equal([
        409,
        [field],
      ])
    }
  })

  it('that is unique has one owner when 64 ask for it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => create({ Name: 'race', Code: 'race', Serial: 1_000 + serial++ })),
    )
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1)
    expect(answers.filter(({ status }) => status === 409)).to.have.length(63)
    expect((await service.list('gadget', { filter: "Code eq 'race'" })).pagination.TotalRecords).to.equal(1)
    // What the losers claimed besides is free again.
    const free = Array.from({ length: serial }, (_, i) => create({ Name: 'free', Serial: 1_000 + i }))
    expect((await Promise.all(free)).filter(({ status }) => status === 201)).to.have.length(63)
  })

  it('that is unique is told apart by case, and nothing is no value', async () => {
    expect((await create({ Name: 'c', Code: 'case' })).status).to.equal(201)
    expect((await create({ Name: 'c', Code: 'CASE' })).status).to.equal(201)
    for (const Code of [null, null]) expect((await create({ Name: 'c', Code })).status).to.equal(201)
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})
