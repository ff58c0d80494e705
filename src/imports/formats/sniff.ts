/**
 * What a file is, by its first bytes: names and media types are not believed. What is known and not taken is refused
 * with what to do about it.
 */
import { FileRefused, type RowFormat } from './reader.ts'

export type FileFormat = RowFormat | 'camt' | 'mt940' | 'ofx' | 'bai2'

/** So many bytes are looked at. */
export const SNIFFED_BYTES = 64 * 1024

/**
 * The format of a file that begins with these bytes. CSV, where nothing speaks for another. Throws `FileRefused`
 * (`other-format`, `encrypted`).
 */
export function sniffed(head: Uint8Array): FileFormat {
  const start = Buffer.from(head.subarray(0, SNIFFED_BYTES))
  const binary = BINARY.find(([magic]) => start.subarray(0, magic.length).equals(magic))
  if (binary) return binary[1](start)
  const text = textStart(start)
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1](text) ?? 'csv'
}

const bytes = (hex: string) => Buffer.from(hex, 'hex')

const BINARY: readonly (readonly [Buffer, (start: Buffer) => FileFormat])[] = [
  [bytes('504b0304'), () => 'xlsx'],
  [bytes('504b0506'), () => refuse('It is an empty ZIP archive: send a workbook (.xlsx), CSV or JSON.')],
  [bytes('d0cf11e0a1b11ae1'), compoundFile],
  [bytes('09081000'), oldWorkbook],
  [bytes('0908080000'), oldWorkbook],
  [bytes('1f8b'), () => refuse('It is compressed with gzip: send it uncompressed.')],
  [
    bytes('25504446'),
    () => refuse('It is a PDF document: ask for the data as .xlsx, CSV or as a bank statement file.'),
  ],
  [bytes('377abcaf271c'), () => refuse('It is a 7z archive: send the file that is in it.')],
  [bytes('52617221'), () => refuse('It is a RAR archive: send the file that is in it.')],
]

const TEXTS: readonly (readonly [RegExp, (text: string) => FileFormat])[] = [
  [
    /^\s*(?:<!doctype html|<html|<table|<meta|<head)/i,
    () =>
      refuse(
        'It is an HTML page, whatever its name says: open it in a spreadsheet program and save it as .xlsx.',
      ),
  ],
  [
    /urn:schemas-microsoft-com:office:spreadsheet/,
    () => refuse('It is an XML spreadsheet of 2003: save it as .xlsx.'),
  ],
  [/^\s*(?:OFXHEADER\s*:|<\?OFX|<OFX>)/i, () => 'ofx'],
  [/^\s*(?:<\?xml[^>]*>\s*)?(?:<\?OFX|<OFX>)/i, () => 'ofx'],
  [/^\s*(?:<\?xml|<)[\s\S]*urn:iso:std:iso:20022:tech:xsd:camt\.05[234]/i, () => 'camt'],
  [/^\s*<[?!\w]/, xmlFile],
  [/^\s*(?:\{1:[FAL]\d\d|:20:|:25P?:|\x01?\{1:)/, () => 'mt940'],
  [/^\s*(?:[^\r\n]{0,80}\r?\n){0,10}:20:[^\r\n]*\r?\n(?:[^\r\n]*\r?\n){0,4}:25P?:/, () => 'mt940'],
  [/^\s*01,[^,\r\n]*,[^,\r\n]*,\d{6},/, () => 'bai2'],
  [/^\s*[[{]/, jsonFile],
]

function compoundFile(start: Buffer): never {
  // Names in a compound file are UTF-16.
  if (start.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw new FileRefused('encrypted', 'The workbook is protected by a password: save it without one.')
  return refuse(
    'It is a workbook of Excel 97 to 2003 (.xls), or protected by a password: save it as .xlsx without one.',
  )
}

function oldWorkbook(): never {
  return refuse('It is a workbook of an Excel before 97: save it as .xlsx.')
}

function xmlFile(text: string): never {
  if (/<!DOCTYPE/i.test(text))
    throw new FileRefused('doctype', 'It is XML with a DOCTYPE, which is not read.')
  return refuse('It is XML that is neither a bank statement (camt.053, camt.054) nor OFX.')
}

/** One line that is an object in itself is NDJSON, unless it is the whole document `{"Records": …}`. */
function jsonFile(text: string): FileFormat {
  if (!text.trimStart().startsWith('{') || /^\s*\{\s*"Records"\s*:\s*\[/.test(text)) return 'json'
  const [first = ''] = text.trimStart().split(/\r\n|\n|\r/)
  return isObjectText(first) ? 'ndjson' : 'json'
}

function isObjectText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The beginning as text, as far as it matters: marks and UTF-16 are seen through. */
function textStart(start: Buffer): string {
  const [first, second] = start
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(start)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(start)
  return new TextDecoder('utf-8').decode(start)
}

function refuse(message: string): never {
  throw new FileRefused('other-format', message)
}
