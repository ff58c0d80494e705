/** Files are known by their content; what is not taken says what to do. */
import { expect } from 'chai'
import { FileRefused } from '../../../src/imports/formats/reader.ts'
import { sniffed } from '../../../src/imports/formats/sniff.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const refusal = (bytes: Uint8Array | string): FileRefused => {
  try {
    sniffed(Buffer.from(bytes))
  } catch (error) {
    return error as FileRefused
  }
  throw new Error('it was taken')
}

describe('what a file is', () => {
  const taken: readonly (readonly [string, Uint8Array | string])[] = [
    ['csv', 'Name;City\nA;B\n'],
    ['csv', ''],
    ['csv', 'sep=;\nA;B'],
    ['csv', '20:00,a\n21:00,b'],
    ['xlsx', hex('504b030414000600')],
    ['json', '{"Records": [{"A": 1}]}'],
    ['json', ' [{"A": 1}]'],
    ['json', '{\n  "Records": [\n'],
    ['ndjson', '{"A": 1}\n{"A": 2}\n'],
    ['ndjson', '{"A": 1}'],
    ['camt', '<?xml version="1.0"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'],
    ['camt', '\ufeff<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08">'],
    ['mt940', ':20:STARTUMSE\r\n:25:10010010/1111\r\n'],
    ['mt940', '{1:F01AAAABBCCXXX0000000000}{2:I940}{4:\r\n:20:x'],
    ['mt940', 'ABNANL2A\r\n940\r\nABNANL2A\r\n:20:ABN AMRO BANK NV\r\n:25:517852257\r\n'],
    ['ofx', 'OFXHEADER:100\r\nDATA:OFXSGML\r\n'],
    ['ofx', '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?><OFX>'],
    ['bai2', '01,122099999,123456789,060321,0829,001,80,1,2/\n'],
  ]
  for (const [format, bytes] of taken)
    it(`is ${format} of ${JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 30))}`, () =>
      expect(sniffed(Buffer.from(bytes))).to.equal(format))

  const refused: readonly (readonly [string, Uint8Array | string, RegExp])[] = [
    ['an old workbook', hex('d0cf11e0a1b11ae1'), /save it as \.xlsx/],
    [
      'a protected workbook',
      Buffer.concat([hex('d0cf11e0a1b11ae1'), Buffer.from('EncryptedPackage', 'utf16le')]),
      /password/,
    ],
    ['an HTML page', '<html><body><table>', /HTML/],
    [
      'an XML spreadsheet',
      '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">',
      /2003/,
    ],
    ['a PDF', '%PDF-1.7', /PDF/],
    ['gzip', hex('1f8b08'), /gzip/],
    ['an empty archive', hex('504b0506'), /ZIP/],
    ['other XML', '<?xml version="1.0"?><note/>', /neither a bank statement/],
    ['XML with a DOCTYPE', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x/>', /DOCTYPE/],
  ]
  for (const [name, bytes, message] of refused)
    it(`is refused when it is ${name}`, () => {
      expect(refusal(bytes)).to.be.instanceOf(FileRefused)
      expect(refusal(bytes).message).to.match(message)
    })
})
