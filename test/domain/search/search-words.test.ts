import { expect } from 'chai'
import fc from 'fast-check'
import { searchWords } from '../../../src/domain/search/search-words.ts'

describe('the words of a search', () => {
  it('are split at whatever is neither letter nor digit, each once, in order', () => {
    expect(searchWords("Rent-roll: O'Brien & Sons, 2nd rent_roll (CON-2026-0001)")).to.deep.equal([
      'rent',
      'roll',
      'o',
      'brien',
      'sons',
      '2nd',
      'con',
      '2026',
      '0001',
    ])
    expect(searchWords(' –§“” ')).to.deep.equal([])
    expect(searchWords('')).to.deep.equal([])
  })

  it('are the same in any case, with and without diacritics, composed or not', () => {
    for (const [one, other] of [
      ['Zürich', 'ZURICH'],
      ['Genève', 'Gene\u0300ve'],
      ['Łódź', 'lodz'],
      ['naïve', 'NAI\u0308VE'],
      ['ĐÀ NẴNG', 'da nang'],
      ['Ёлка', 'елка'],
      ['Άθήνα', 'ΑΘΗΝΑ'],
    ] as const)
      expect(searchWords(one), one).to.deep.equal(searchWords(other))
  })

  it('spell letters out that others write with more than one', () => {
    for (const [text, word] of [
      ['Straße', 'strasse'],
      ['STRASSE', 'strasse'],
      ['GROẞ', 'gross'],
      ['Ærø', 'aero'],
      ['Œuvre', 'oeuvre'],
      ['Þór', 'thor'],
      ['ﬁnance', 'finance'],
      ['Ⅷ', 'viii'],
      ['m²', 'm2'],
    ] as const)
      expect(searchWords(text), text).to.deep.equal([word])
  })

  it('are the same for all four letters i of Turkish', () =>
    expect(searchWords('İZMİR izmir IZMIR ızmır')).to.deep.equal(['izmir']))

  it('have one sigma, so that the beginning of a Greek word finds it', () => {
    expect(searchWords('ΟΔΟΣ')).to.deep.equal(['οδοσ'])
    expect(searchWords('ὁδός')).to.deep.equal(['οδοσ'])
    expect(searchWords('ΟΔΟΣΗΜΑΝΣΗ')[0]!.startsWith(searchWords('ΟΔΟΣ')[0]!)).to.equal(true)
  })

  it('are not split by soft hyphens and joiners', () => {
    expect(searchWords('Haus\u00ADverwaltung')).to.deep.equal(['hausverwaltung'])
    expect(searchWords('می\u200Cخواهم')).to.deep.equal(['میخواهم'])
  })

  it('are cut to 64 characters, also of those beyond the basic plane', () => {
    expect(searchWords('x'.repeat(65))).to.deep.equal(['x'.repeat(64)])
    expect(searchWords('𐐨'.repeat(65))).to.deep.equal(['𐐨'.repeat(64)])
    expect(searchWords(`${'x'.repeat(64)}a ${'x'.repeat(64)}b`)).to.deep.equal(['x'.repeat(64)])
  })

  const expectStable = (text: string) => {
    const words = searchWords(text)
    expect(searchWords(words.join(' ')).join(' ')).to.equal(words.join(' '))
    expect(words.filter((word) => !/^[\p{L}\p{N}]{1,64}$/u.test(word))).to.deep.equal([])
  }

  it('are the same again when they are taken from themselves', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.string({ maxLength: 100 }),
        (strange, plain) => {
          expectStable(strange)
          expectStable(plain)
        },
      ),
      { numRuns: 500 },
    ))

  it('are so for every character that there is, alone and within a word', () => {
    const CHUNK = 0x400
    for (let start = 0; start < 0x110000; start += CHUNK) {
      const characters = Array.from({ length: CHUNK }, (_, i) => String.fromCodePoint(start + i))
      expectStable(characters.join(' '))
      expectStable(characters.map((character) => `a${character}Σ`).join(' '))
    }
  })

  it('begin with the words of any beginning of the text that ends with a word', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.string({ unit: 'grapheme' }),
        (one, other) => {
          const [words, more] = [searchWords(one), searchWords(one + other)]
          const last = words.pop()
          expect(more.slice(0, words.length)).to.deep.equal(words)
          if (last !== undefined) expect(more.some((word) => word.startsWith(last))).to.equal(true)
        },
      ),
      { numRuns: 500 },
    ))

  it('do not depend on case', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(searchWords(text.toUpperCase())).to.deep.equal(searchWords(text.toLowerCase()))
      }),
    ))
})
