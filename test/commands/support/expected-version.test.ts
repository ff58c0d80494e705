import { expect } from 'chai'
import { checkVersion } from '../../../src/commands/support/expected-version.ts'
import { PreconditionFailed } from '../../../src/domain/errors.ts'
import { faultsOf, given, happened, record, remove, restore, update } from '../../support/given.ts'
import { definition, key, writeSide } from '../../support/write-side.ts'
import { newEvent } from '../../support/events.ts'

const ann = key('tenant', 1)
const created = happened(ann, 'tenant.created', { Name: 'Ann' })
const renamed = happened(ann, 'tenant.updated', { Name: 'Bea', Phone: '1' })
const rename = (expected: 'any' | readonly number[]) => update(ann, { Name: 'Cem' }, { expected })

describe('a write for a version that the client knows', () => {
  it('is made when the record is at that version, or at one of several', async () => {
    for (const expected of [[2], [1, 2], [7, 2]])
      await given(created, renamed)
        .when(rename(expected))
        .then(happened(ann, 'tenant.updated', { Name: 'Cem' }))
  })

  it('is made at any version when any will do', () =>
    given(created, renamed)
      .when(rename('any'))
      .then(happened(ann, 'tenant.updated', { Name: 'Cem' })))

  it('is refused with what has changed since: the fields, by whom, when', async () => {
    const side = writeSide()
    const change = (version: number, actor: string, data: Record<string, string>, type = 'tenant.updated') =>
      side.events.append({
        company: 'company-1',
        stream: ann,
        expected: version - 1,
        events: [newEvent({ type, data, metadata: { actor, at: `2026-03-0${version}T08:00:00.000Z` } })],
      })
    await change(1, 'user-1', { Name: 'Ann' }, 'tenant.created')
    await change(2, 'user-2', { Name: 'Bea', Phone: '1' })
    await change(3, 'token-3', { Phone: '2' }, 'tenant.workflow.checked')
    const faults = async (expected: readonly number[]) => {
      const [outcome] = await Promise.allSettled([rename(expected)(side.write)])
      return faultsOf(outcome, PreconditionFailed)
    }
    const second = 'was changed by user-2 at 2026-03-02T08:00:00Z (tenant.updated, version 2)'
    const third = 'was changed by token-3 at 2026-03-03T08:00:00Z (tenant.workflow.checked, version 3)'
    expect(await faults([2])).to.deep.equal([`Phone: ${third}`])
    expect(await faults([1])).to.deep.equal([`Name: ${second}`, `Phone: ${second}`, `Phone: ${third}`])
    expect(await faults([1, 2])).to.deep.equal([`Phone: ${third}`])
  })

  it('tells a change without fields by the header it is held against', () =>
    given(created, happened(ann, 'tenant.deleted'), happened(ann, 'tenant.restored'))
      .when(rename([1]))
      .thenRefused(
        PreconditionFailed,
        'If-Match: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.deleted, version 2)',
        'If-Match: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.restored, version 3)',
      ))

  it('is not refused by the name of a field that the object no longer has', () =>
    given(created, happened(ann, 'tenant.updated', { Fax: '1', Phone: '1' }))
      .when(rename([1]))
      .thenRefused(
        PreconditionFailed,
        'Phone: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.updated, version 2)',
      ))

  it('names no field that the caller may not see', async () => {
    const side = writeSide()
    await record(side.events, [created, renamed])
    const state = await side.states.load('company-1', ann)
    const sees = (...fields: string[]) =>
      checkVersion(
        side.events,
        'company-1',
        definition('tenant'),
        ann,
        state,
        [1],
        new Set(fields),
        async (actor) => actor,
      )
    const change = 'was changed by user-1 at 2026-03-01T09:30:00Z (tenant.updated, version 2)'
    for (const [seen, named] of [
      ['Phone', 'Phone'],
      ['Email', 'If-Match'],
    ] as const) {
      const [outcome] = await Promise.allSettled([sees(seen)])
      expect(faultsOf(outcome, PreconditionFailed)).to.deep.equal([`${named}: ${change}`])
    }
  })

  it('is refused for a version that the record has not come to', async () => {
    await given(created)
      .when(rename([2]))
      .thenRefused(
        PreconditionFailed,
        'Name: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.created, version 1)',
      )
    await given(created)
      .when(rename([]))
      .thenRefused(
        PreconditionFailed,
        'Name: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.created, version 1)',
      )
  })

  it('may be a deletion or a restore', async () => {
    await given(created, renamed)
      .when(remove(ann, { expected: [1] }))
      .thenRefused(
        PreconditionFailed,
        'Name: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.updated, version 2)',
        'Phone: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.updated, version 2)',
      )
    await given(created)
      .when(remove(ann, { expected: [1] }))
      .then(happened(ann, 'tenant.deleted'))
    await given(created, happened(ann, 'tenant.deleted'))
      .when(restore(ann, { expected: [2] }))
      .then(happened(ann, 'tenant.restored'))
  })

  it('is checked even when nothing would change', () =>
    given(created, renamed)
      .when(update(ann, { Name: 'Bea' }, { expected: [1] }))
      .thenRefused(
        PreconditionFailed,
        'Name: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.updated, version 2)',
        'Phone: was changed by user-1 at 2026-03-01T09:30:00Z (tenant.updated, version 2)',
      ))

  it('is told about the change that another made while it was under way', async () => {
    const side = writeSide()
    await record(side.events, [created])
    const [, late] = await Promise.allSettled([
      update(ann, { Phone: '1' }, { actor: 'user-9', expected: [1] })(side.write),
      rename([1])(side.write),
    ])
    expect(faultsOf(late, PreconditionFailed)).to.deep.equal([
      'Phone: was changed by user-9 at 2026-03-01T09:30:00Z (tenant.updated, version 2)',
    ])
  })
})
