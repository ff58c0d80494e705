/** Bodies that no decent client sends: each is refused in the Error wrapper, nothing is written, and the service works on. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { testService, type HeaderValues, type TestService } from '../../support/service.ts'
import { definitionsFolder, gadget } from '../../system/support/gadget.ts'
import { expectRefusal } from '../../system/support/refusal.ts'

const MEGABYTE = 1_048_576
/** Far more than any answer takes, and far less than a body takes that is looked at in the wrong way. */
const SOON_MS = 2_500

describe('a hostile body', () => {
  const folder = definitionsFolder(gadget)
  let service: TestService
  let path: string

  before(async () => {
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
    path = `gadget/${(await service.create('gadget', { Name: 'Bystander' })).Id}`
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  afterEach(async () => {
    const record = await service.get(path)
    expect([record.status, record.headers.get('ETag')]).to.deep.equal([200, '"1"'])
  })

  const post = (body: string | Uint8Array, headers: HeaderValues = {}) =>
    service.post('gadget', body, headers)
  const total = async () => (await service.list('gadget')).pagination.TotalRecords
  /** Every route that takes a body. */
  const routes = () =>
    [
      ['POST', 'gadget'],
      ['PUT', path],
      ['PATCH', path],
      ['POST', 'gadget/batch'],
      ['PUT', 'gadget/by/Code/x'],
      ['DELETE', path],
      ['POST', `${path}/restore`],
    ] as const

  describe('that is no JSON', () => {
    const texts = [
      ' ',
      '{',
      '}',
      '{"Name":}',
      '{"Name":"x"',
      '{"Name":"x",}',
      "{'Name':'x'}",
      '{Name:"x"}',
      '{"Name":"x"}{"Name":"y"}',
      '{"Name":"x"} trailing',
      '{"Name":"line\nbreak"}',
      '{"Name":"\\x41"}',
      '{"Name":"\\ud8"}',
      '// comment\n{}',
      'undefined',
      'Name=x&Code=y',
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
      '\u0000',
      '--boundary\r\nContent-Disposition: form-data; name="Name"\r\n\r\nx\r\n--boundary--',
      '{"a":'.repeat(10_000),
      '['.repeat(900_000),
      `"${'\\'.repeat(900_001)}`,
    ]

    it('is refused on every route', async () => {
      for (const [method, to] of routes())
        for (const body of texts)
          expectRefusal(await service.send(method, to, { body }), [400], `${method} ${to} ${body}`)
    })

    it('is refused when it is nothing at all', async () => {
      for (const [method, to] of routes().slice(0, 5)) {
        expectRefusal(await service.send(method, to), [400], `${method} ${to}`)
        expectRefusal(await service.send(method, to, { body: '' }), [400], `${method} ${to} ''`)
      }
    })

    it('is refused when it is JSON but no object', async () => {
      for (const [method, to] of routes().slice(0, 5))
        for (const body of ['null', 'true', '0', '""', '[]', '[{}]', '"{}"', '1e999'])
          expectRefusal(await service.send(method, to, { body }), [400], `${method} ${to} ${body}`)
    })
  })

  describe('of another type', () => {
    it('is refused with 415, whatever it holds', async () => {
      for (const type of [
        'text/plain',
        'text/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/jsonp',
        'application/json-patch+json',
        'application/json, text/plain',
        'application',
        'json',
        '*/*',
        ';',
      ])
        for (const [method, to] of routes().slice(0, 5)) {
          const answer = await service.send(method, to, {
            body: '{"Name":"x"}',
            headers: { 'Content-Type': type },
          })
          expectRefusal(answer, [415], `${method} ${to} ${type}`)
        }
    })

    it('is taken when it is JSON by any other spelling', async () => {
      for (const type of [
        'application/json',
        'APPLICATION/JSON',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
        'application/json;Charset=UTF8 ; x=y',
        String.raw`application/json; charset="ut\f-8"`,
        'application/json; charset=csUTF8',
        'application/json; odata=verbose',
      ])
        expect((await post('{"Name":"typed"}', { 'Content-Type': type })).status, type).to.equal(201)
    })
  })

  describe('in another encoding than UTF-8', () => {
    it('is refused with 415 when it says so', async () => {
      const body = '{"Name":"x","Ratio":0.12345678901234567890}'
      for (const [charset, bytes] of [
        ['utf-16', Buffer.from(body, 'utf16le')],
        ['utf-16le', Buffer.from(body, 'utf16le')],
        ['utf-16be', Buffer.from(body, 'utf16le').swap16()],
        ['utf-7', Buffer.from(body)],
        ['utf-32', Buffer.from(body)],
        ['iso-8859-1', Buffer.from(body, 'latin1')],
        ['windows-1252', Buffer.from(body, 'latin1')],
        ['x-user-defined', Buffer.from(body)],
      ] as const)
        expectRefusal(
          await post(bytes, { 'Content-Type': `application/json; charset=${charset}` }),
          [415],
          charset,
        )
    })

    it('is refused with 400 when it only claims to be UTF-8', async () => {
      const name = (...bytes: number[]) =>
        Buffer.from([...Buffer.from('{"Name":"a'), ...bytes, ...Buffer.from('b"}')])
      for (const [what, bytes] of [
        ['a lone byte', name(0xff)],
        ['Latin-1', name(0xe9)],
        ['an overlong slash', name(0xc0, 0xaf)],
        ['half of a surrogate pair', name(0xed, 0xa0, 0x80)],
        ['past the last character', name(0xf4, 0x90, 0x80, 0x80)],
        ['cut off within a character', Buffer.from('{"Name":"é').subarray(0, 10)],
      ] as const)
        expectRefusal(await post(bytes), [400], what)
    })

    it('may begin with a byte order mark, and is read as if it did not', async () => {
      const plain = await post('\ufeff{"Name":"marked"}')
      expect([plain.status, plain.data['Name']]).to.deep.equal([201, 'marked'])
      const exact = await post('\ufeff{"Name":"marked","Ratio":0.1234567890123456}')
      expect([exact.status, exact.data['Ratio']]).to.deep.equal([201, 0.1234567890123456])
      expectRefusal(await post('\ufeff{"Name":"x","Ratio":0.1234567890123456789}'), [400], 'too many digits')
    })
  })

  describe('that is large', () => {
    /** A body of so many bytes. */
    const sized = (bytes: number, start = '{"Name":"', end = '"}') =>
      `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`

    it('is looked at up to 1 MB, and refused with 413 past it', async () => {
      for (const [method, to] of [
        ['POST', 'gadget'],
        ['PUT', path],
        ['PATCH', path],
        ['PUT', 'gadget/by/Code/x'],
      ] as const) {
        expectRefusal(await service.send(method, to, { body: sized(MEGABYTE) }), [400], `${method} 1 MB`)
        expectRefusal(
          await service.send(method, to, { body: sized(MEGABYTE + 1) }),
          [413],
          `${method} 1 MB + 1`,
        )
        expectRefusal(
          await service.send(method, to, { body: sized(30 * MEGABYTE) }),
          [413],
          `${method} 30 MB`,
        )
      }
    })

    it('is looked at up to 10 MB in a batch, and refused with 413 past it', async () => {
      const row = sized(1_000_000, '{"Name":"', '"}')
      const batch = (bytes: number) =>
        service.post('gadget/batch', sized(bytes, `{"Records":[${`${row},`.repeat(10)}{"Name":"`, '"}]}'))
      const most = await batch(10 * MEGABYTE)
      expect([most.status, most.list.map(({ Status }) => Status)]).to.deep.equal([200, Array(11).fill(400)])
      expectRefusal(await batch(10 * MEGABYTE + 1), [413], '10 MB + 1')
    })

    it('is refused with 413 when a row of a batch is larger than 1 MB', async () => {
      const batch = (bytes: number) =>
        service.post('gadget/batch', `{"Records":[{"Name":"x"},${sized(bytes)}]}`)
      expect((await batch(MEGABYTE)).list.map(({ Status }) => Status)).to.deep.equal([201, 400])
      const answer = await batch(MEGABYTE + 1)
      expectRefusal(answer, [413], '1 MB + 1')
      expect(answer.faults).to.deep.equal(['Records[1]: is larger than 1048576 bytes'])
    })

    it('makes no record over 512 KB, neither at once nor in steps', async () => {
      const data = (bytes: number) => ({ Text: 'x'.repeat(bytes) })
      const { Id } = await service.create('gadget', { Name: 'large', Data: data(500_000) })
      expectRefusal(await service.post('gadget', { Name: 'larger', Data: data(524_288) }), [413], 'POST')
      expectRefusal(await service.put(`gadget/${Id}`, { Data: data(524_288) }), [413], 'PUT')
      expectRefusal(
        await service.patch(`gadget/${Id}`, { Data: { More: 'x'.repeat(50_000) } }),
        [413],
        'PATCH',
      )
      expectRefusal(
        await service.patch(`gadget/${Id}`, { Story: 'é'.repeat(20_000) }),
        [413],
        'another field',
      )
      const record = await service.get(`gadget/${Id}`)
      expect([record.headers.get('ETag'), Object.keys(record.data['Data'] ?? {})]).to.deep.equal([
        '"1"',
        ['Text'],
      ])
    })

    it('is measured in bytes, not in characters', async () => {
      expectRefusal(await service.post('gadget', { Name: 'x', Data: '語'.repeat(200_000) }), [413], '600 KB')
    })

    it('has names of any length only in what is refused', async () => {
      const answer = await post(`{"Name":"x","${'N'.repeat(900_000)}":1}`)
      expectRefusal(answer, [400], 'a long name')
      expect(answer.text.length).to.be.below(500)
    })

    it('with 80,000 unknown fields is refused without repeating them all', async () => {
      const names = Array.from({ length: 80_000 }, (_, i) => `"f${i}":0`)
      const answer = await post(`{${names.join(',')}}`)
      expectRefusal(answer, [400], '80,000 fields')
      expect(answer.faults).to.deep.equal([': holds more than 20000 values'])
    })

    it('with 10,000 unknown fields is judged up to 101 faults, and shows 100', async () => {
      const names = Array.from({ length: 10_000 }, (_, i) => `"f${i}":0`)
      const { faults } = await post(`{${names.join(',')}}`)
      expect([faults.length, faults.at(-2), faults.at(-1)]).to.deep.equal([
        101,
        'f99: gadget has no such field',
        ': has more faults',
      ])
    })

    it('is refused when more than rows stands in a batch', async () => {
      const beside = Array.from({ length: 800_000 }, (_, i) => `"k${i}":1`).join(',')
      for (const body of [`{${beside}}`, `{"Records":[],${beside}}`, `{${beside},"Records":[]}`])
        expect((await service.post('gadget/batch', body)).faults).to.deep.equal([
          ': holds more than 65536 bytes beside Records',
        ])
    })
  })

  describe('that is compressed', () => {
    const compressed = (encoding: string, bytes: Uint8Array, to = 'gadget') =>
      service.post(to, bytes, { 'Content-Encoding': encoding })
    const json = Buffer.from('{"Name":"packed"}')

    it('is taken by gzip, deflate and brotli', async () => {
      for (const [encoding, pack] of [
        ['gzip', gzipSync],
        ['deflate', deflateSync],
        ['br', brotliCompressSync],
      ] as const) {
        const answer = await compressed(encoding, pack(json))
        expect([answer.status, answer.data['Name']], encoding).to.deep.equal([201, 'packed'])
      }
    })

    it('is measured by what it holds: a bomb is refused, and soon', async () => {
      const bomb = Buffer.alloc(200 * MEGABYTE, ' ')
      const start = performance.now()
      for (const [encoding, bytes] of [
        ['gzip', gzipSync(bomb, { level: 1 })],
        ['deflate', deflateSync(bomb, { level: 1 })],
      ] as const)
        for (const to of ['gadget', 'gadget/batch'])
          expectRefusal(await compressed(encoding, bytes, to), [413], `${encoding} ${to}`)
      expect(performance.now() - start).to.be.below(4 * SOON_MS)
    })

    it('is refused when it is not what it says', async () => {
      for (const [encoding, bytes] of [
        ['gzip', json],
        ['gzip', gzipSync(json).subarray(0, 20)],
        ['gzip', deflateSync(json)],
        ['deflate', json],
        ['br', Buffer.from('garbage'.repeat(10))],
        ['compress', json],
        ['x-unknown', json],
        ['gzip, gzip', gzipSync(gzipSync(json))],
        ['../../etc/passwd', json],
      ] as const)
        expectRefusal(await compressed(encoding, bytes), [400, 415], `${encoding} ${bytes.toString('hex')}`)
    })

    it('is told what is wrong with it', async () => {
      for (const [encoding, bytes] of [
        ['gzip', json],
        ['deflate', json],
        ['br', Buffer.from('garbage'.repeat(10))],
      ] as const)
        expect((await compressed(encoding, bytes)).error.Message, encoding).to.equal(
          'the body is not packed as Content-Encoding says',
        )
      expect((await compressed('zip', json)).error.Message).to.equal(
        'Content-Encoding must be gzip, deflate, br or identity',
      )
    })
  })

  describe('that is deep', () => {
    const nested = (levels: number, open = '[', close = ']', bottom = '') =>
      `${open.repeat(levels)}${bottom}${close.repeat(levels)}`

    it('is taken down to 32 levels, and refused past them', async () => {
      // The body itself is one level.
      expect((await post(`{"Name":"deep","Data":${nested(31)}}`)).status).to.equal(201)
      expect((await post(`{"Name":"deep","Data":${nested(31, '{"a":', '}', '0')}}`)).status).to.equal(201)
      expectRefusal(await post(`{"Name":"deep","Data":${nested(32)}}`), [400], '33 levels')
      expectRefusal(await post(`{"Name":"deep","Data":${nested(32, '{"a":', '}', '0')}}`), [400], '33 levels')
    })

    it('is refused on every route, and soon', async () => {
      const start = performance.now()
      for (const [method, to] of routes())
        for (const body of [nested(50_000), nested(50_000, '{"a":', '}', '1'), `{"Name":${nested(50_000)}}`])
          expectRefusal(await service.send(method, to, { body }), [400], `${method} ${to}`)
      expect(performance.now() - start).to.be.below(4 * SOON_MS)
    })

    it('of five million levels is refused as soon', async () => {
      const body = nested(5_000_000)
      const start = performance.now()
      expectRefusal(await service.post('gadget/batch', body), [400], 'five million levels')
      expect(performance.now() - start).to.be.below(SOON_MS)
    })

    it('cannot grow deeper by PATCH than a body may be', async () => {
      const { Id } = await service.create('gadget', { Name: 'deep' })
      for (let i = 0; i < 3; i++)
        await service.patch(`gadget/${Id}`, `{"Data":${nested(31, '{"a":', '}', '0')}}`)
      const read = await service.get(`gadget/${Id}`)
      expect(read.status).to.equal(200)
      expect(read.text.split('{"a":')).to.have.length(32)
    })
  })

  describe('of many numbers', () => {
    it('is refused past 20,000 of them, on every route', async () => {
      const values = (count: number) => `{"Name":"many","Data":[${Array<string>(count).fill('1').join(',')}]}`
      expect((await post(values(19_990))).status).to.equal(201)
      for (const [method, to] of routes().filter(([method]) => method !== 'DELETE')) {
        const body = to.endsWith('batch') ? `{"Records":[${values(20_001)}]}` : values(20_001)
        const answer = await service.send(method, to, { body })
        expectRefusal(answer, [400], `${method} ${to}`)
        expect(answer.faults[0], `${method} ${to}`).to.match(
          /^(Records\[0\])?: holds more than 20000 values$/,
        )
      }
    })

    it('is refused past 200,000 of them in all rows of a batch', async () => {
      const batch = (rows: number) => ({ Records: Array(rows).fill(Array(1_998).fill('1 e1')) })
      expect((await service.post('gadget/batch', batch(99))).list).to.have.length(99)
      const answer = await service.post('gadget/batch', batch(101))
      expect(answer.faults).to.deep.equal([': holds more than 200000 values; send fewer records at a time'])
    })

    it('with a number of a million digits is refused', async () => {
      for (const number of [
        '1'.repeat(1_000_000),
        `0.${'0'.repeat(1_000_000)}1`,
        `1e${'9'.repeat(1_000_000)}`,
      ]) {
        const start = performance.now()
        expectRefusal(await post(`{"Name":"x","Ratio":${number}}`), [400], `${number.slice(0, 5)}…`)
        expect(performance.now() - start).to.be.below(SOON_MS)
      }
    })
  })

  describe('that says one thing twice', () => {
    it('is understood by the last, and by nothing else', async () => {
      const answer = await post('{"Name":"first","Count":1,"Name":"last","Count":2}')
      expect([answer.status, answer.data['Name'], answer.data['Count']]).to.deep.equal([201, 'last', 2])
      expectRefusal(await post('{"Name":"good","Name":1}'), [400], 'the last is wrong')
    })
  })

  describe('with members that JavaScript objects have anyway', () => {
    it('changes nothing beyond itself', async () => {
      const before = await total()
      for (const body of [
        '{"__proto__":{"Name":"inherited"}}',
        '{"constructor":{"prototype":{"Name":"inherited"}}}',
        '{"Name":"x","__proto__":null}',
        '{"__proto__":"x","Name":"x"}',
      ])
        expectRefusal(await post(body), [400], body)
      const inherited = '{"Records":[{"__proto__":{"Name":"inherited"}}]}'
      expect((await service.post('gadget/batch', inherited)).list[0]).to.include({ Status: 400 })
      for (const body of ['{"__proto__":{"Name":"inherited"}}', '{"__proto__":{"Code":"x"},"Name":"x"}'])
        expectRefusal(await service.put('gadget/by/Code/proto', body), [400], body)
      expect(await total()).to.equal(before)
      expect(Object.keys(Object.prototype)).to.deep.equal([])
    })
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () =>
      expect(service.logged.filter(({ level }) => level === 'error')).to.deep.equal([]))
  })
})
