/** What a mapping does to texts: a closed list, and expressions that take no time to speak of. */
import { expect } from 'chai'
import { mappingSchema } from '../../../src/imports/mapping/mapping.ts'
import { afterSteps } from '../../../src/imports/mapping/steps.ts'

const isTaken = (step: string) =>
  mappingSchema.safeParse({ Fields: { Name: { Column: 'A', Do: [step] } } }).success

describe('steps of a mapping', () => {
  for (const [text, steps, expected] of [
    [' a  b ', ['collapse', 'upper'], 'A B'],
    ['NL 12-34', ['digits', 'pad:6:0'], '001234'],
    ['a, b, c', ['split:,:1', 'trim'], 'b'],
    ['Invoice INV-2029-0007 paid', ['extract:INV-\\d{4}-\\d+'], 'INV-2029-0007'],
    ['Invoice INV-2029-0007 paid', ['extract:INV-(\\d{4})-\\d+', 'prefix:Y'], 'Y2029'],
    ['x', ['extract:x(y)?'], ''],
    ['nothing', ['extract:\\d+'], ''],
    ['a:b', ['extract:a:(.)'], 'b'],
  ] as const)
    it(`${JSON.stringify(text)} by ${steps.join(', ')} is ${JSON.stringify(expected)}`, () => {
      expect(steps.every(isTaken)).to.equal(true)
      expect(afterSteps(text, steps)).to.equal(expected)
    })

  it('takes no expression that is wrong, too large, or looks back', () => {
    for (const step of [
      'extract:(',
      'extract:(?<=a)b',
      'extract:(a)\\1',
      'extract:((a{100}){100}){10}',
      'extract:',
      'eval:1',
    ])
      expect(isTaken(step), step).to.equal(false)
  })

  it('needs no time for what takes others for ever', () => {
    const step = 'extract:(a+)+$'
    expect(isTaken(step)).to.equal(true)
    expect(afterSteps(`${'a'.repeat(5_000)}!`, [step])).to.equal('')
  })
})
