/** What an upsert does when other requests create or delete the record in between, over writes that are made to fail. */
import { expect } from 'chai'
import type { Request } from 'express'
import { upsert, type Upsert } from '../../../src/api/records/upsert.ts'
import type { Written } from '../../../src/commands/support/record-appends.ts'
import type { ObjectDefinition } from '../../../src/domain/definition.ts'
import { Conflict, NotFound } from '../../../src/domain/errors.ts'
import type { Grant } from '../../../src/domain/grant.ts'
import { sampleDefinition } from '../../support/sample-definitions.ts'
import { COMPANY } from '../../support/write-side.ts'

const tenant = sampleDefinition('tenant')
const unique = { ...tenant, fields: tenant.fields.map((one) => ({ ...one, unique: one.name === 'Email' })) }
const [updating, creating] = [{ fields: 'updating' }, { fields: 'creating' }] as unknown as [Grant, Grant]
const caller = { company: COMPANY, actor: 'user-a', correlation: 'c', command: 'c', grant: updating }
const done = { key: 'tenant-a', created: true } as Written
const taken = new Conflict('Email: another tenant has this value')
const gone = new NotFound('tenant tenant-a was deleted')

/** Each step is who owns the value by then, and how the write that follows ends. */
async function run(
  steps: readonly (readonly [string | undefined, Written | Error])[],
  more: Partial<Upsert['write']> = {},
  definition: ObjectDefinition = unique,
) {
  const calls: unknown[][] = []
  let step = -1
  const end = async () => {
    const [, outcome] = steps[step]!
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const write = {
    doneBefore: async () => undefined,
    create: async ({ grant }: { grant: Grant }) => (calls.push(['create', grant]), end()),
    update: async ({ grant }: { grant: Grant }, { key, writing }: { key: string; writing: string }) => (
      calls.push(['update', grant, key, writing]),
      end()
    ),
    ...more,
  } as unknown as Upsert['write']
  const request = {
    params: { field: 'Email', value: 'ada@example.com' },
    body: { Name: 'Ada' },
    headers: {},
    query: {},
  } as unknown as Request
  const outcome = await upsert(
    { write, ownerOf: async () => steps[++step]![0] },
    caller,
    creating,
    definition,
    request,
  ).catch((error: unknown) => error)
  return { outcome, calls, asked: step + 1 }
}

describe('an upsert by a field that only the service writes', () => {
  it('is not there', async () => {
    const fields = unique.fields.map((one) => ({ ...one, readOnly: true }))
    const { outcome, calls } = await run([['tenant-a', done]], {}, { ...unique, fields })
    expect(outcome)
      .to.be.instanceOf(NotFound)
      .with.property('message', 'tenant has no unique field Email to write by')
    expect(calls).to.deep.equal([])
  })
})

describe('an upsert that is overtaken', () => {
  it('by a create, changes what was created; by a delete, creates, each time with the rights for it', async () => {
    const { outcome, calls } = await run([
      [undefined, taken],
      ['tenant-a', gone],
      [undefined, done],
    ])
    expect(outcome).to.equal(done)
    expect(calls).to.deep.equal([
      ['create', creating],
      ['update', updating, 'tenant-a', 'replace'],
      ['create', creating],
    ])
  })

  it('three times, gives up: by creates with what the create said', async () => {
    const { outcome, asked } = await run(Array(5).fill([undefined, taken]))
    expect([outcome, asked]).to.deep.equal([taken, 3])
  })

  it('three times by what it may not change, says that the value is taken, and no Key', async () => {
    const { outcome, asked } = await run(Array(5).fill(['tenant-a', gone]))
    expect(asked).to.equal(3)
    expect(outcome)
      .to.be.instanceOf(Conflict)
      .with.property('message', 'Email: another tenant has this value')
  })

  it('starts again for nothing else', async () => {
    for (const [owner, error] of [
      [undefined, gone],
      ['tenant-a', taken],
      ['tenant-a', new Error('broken')],
    ] as const) {
      const { outcome, asked } = await run(Array(5).fill([owner, error]))
      expect([outcome, asked]).to.deep.equal([error, 1])
    }
  })

  it('answers what an earlier run of the same request did, whether that created or changed', async () => {
    const create = await run([['tenant-a', gone]], {
      doneBefore: async (_caller, what) => (what === 'tenant' ? done : undefined),
    })
    expect([create.outcome, create.calls]).to.deep.equal([done, []])
    const change = await run([['tenant-a', gone]], {
      doneBefore: async (_caller, what) => (what === 'tenant-a' ? done : undefined),
    })
    expect([change.outcome, change.calls]).to.deep.equal([done, []])
  })
})
