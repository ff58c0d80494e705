import { expect } from 'chai'
import { shortened } from '../../../src/imports/formats/shortened.ts'

describe('a message that is too long', () => {
  it('ends with a word', () => {
    expect(shortened('the workbook is damaged', 23)).to.equal('the workbook is damaged')
    expect(shortened('the workbook is damaged', 22)).to.equal('the workbook is …')
    expect(shortened('the workbook is damaged', 16)).to.equal('the workbook is …')
  })

  it('is cut where it is one word, and not within a character', () => {
    expect(shortened('damaged', 3)).to.equal('dam …')
    expect(shortened('a😀b', 2)).to.equal('a� …')
  })
})
