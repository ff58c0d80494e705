/** Which events count in the order of their company. Frozen: another rule would give stored rows and audits other numbers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { hasOrdinals } from '../../../src/domain/events/ordinals.ts'
import { nameOfStream } from '../../../src/domain/events/stream-name.ts'

/** Types of events that do not count; all others do, those that are still to come too. */
const BOOKKEEPING = [
  'bootstrap.begun',
  'bootstrap.completed',
  'claim.released',
  'claim.taken',
  'importfile.claimed',
  'importfile.released',
  'importrows.done',
  'importturn.held',
  'integrationfiles.listed',
  'integrationplace.made',
  'integrationtoken.kept',
  'integrationtoken.refreshed',
  'integrationtoken.refreshing',
  'keys.made',
  'keys.opened',
  'keys.renewing',
  'masterkey.used',
  'numbering.reserved',
  'request.answered',
  'request.received',
  'store.opened',
  'timer.adopted',
  'tokenvalue.made',
  'uniquefields.claimed',
]

describe('an event of every shape there ever was', () => {
  const folder = join(import.meta.dirname, '..', '..', 'corpus')
  for (const file of readdirSync(folder)) {
    const { stored } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly stored: { readonly stream: string; readonly type: string }
    }
    const counts = !BOOKKEEPING.includes(stored.type)
    it(`${counts ? 'counts' : 'does not count'}: ${file}`, () =>
      expect(hasOrdinals(nameOfStream(stored.stream) ?? stored.stream)).to.equal(counts))
  }
})

describe('the rule which streams count', () => {
  it('knows no objects: a name counts that has the shape of a Key', () => {
    for (const [name, counts] of [
      ['anything-01m8200mv3e8zvewjr9e0x20xp', true],
      ['x9-71m8200mv3e8zvewjr9e0x20xp', true],
      // A suffix is 26 characters of 128 bits, in lowercase and without i, l, o, u.
      ['anything-81m8200mv3e8zvewjr9e0x20xp', false],
      ['anything-01m8200mv3e8zvewjr9e0x20x', false],
      ['anything-01m8200mv3e8zvewjr9e0x20xpp', false],
      ['anything-01M8200MV3E8ZVEWJR9E0X20XP', false],
      ['anything-01m8200mv3e8zvewjr9e0x20xl', false],
      ['any-thing-01m8200mv3e8zvewjr9e0x20xp', false],
      ['9x-01m8200mv3e8zvewjr9e0x20xp', false],
      ['83-anything-01m8200mv3e8zvewjr9e0x20xp', false],
      ['store', false],
      ['', false],
    ] as const)
      expect(hasOrdinals(name), name).to.equal(counts)
  })
})
