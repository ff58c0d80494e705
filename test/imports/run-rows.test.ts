/** Rows of a chunk while the stores are away: the chunk is run again, and the process lives. */
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Caller } from '../../src/commands/command.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import { mappingSchema } from '../../src/imports/mapping/mapping.ts'
import { runRows, type RunRows } from '../../src/imports/run/run-rows.ts'

describe('rows of a chunk', () => {
  it('refuse the chunk when a store is away, and nothing else', async () => {
    const definitions = loadDefinitions([join(import.meta.dirname, '../../definitions')])
    const away = async () => {
      throw new Unavailable('the store is away')
    }
    const options: RunRows = {
      importKey: 'import-1',
      definition: definitions.get('tenant')!,
      mapping: mappingSchema.parse({ Fields: { Name: { Column: 'Name' } } }),
      columns: ['Name'],
      write: { create: away, update: away },
      ownerOf: away,
      lookups: { find: async () => {}, resolve: () => null },
      identities: { of: async () => ({ command: 'c', repeatedFrom: 1, isCorrection: false }) },
      duplicateOf: () => undefined,
      twinOf: () => undefined,
      // Others have their turn after each row.
      pace: () => () => turn(),
    }
    const caller = { company: 'co-1', actor: 'a', correlation: 'c', command: 'c' } satisfies Caller
    const rows = ['Ann', 'Bob', 'Cem'].map((name, i) => ({ number: i + 2, cells: [name] }))
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.prependListener('unhandledRejection', note)
    try {
      const came = await runRows(options, rows, { caller, updating: undefined, isFirst: true }).catch(
        (error: unknown) => error,
      )
      await turn()
      expect(came).to.be.instanceOf(Unavailable)
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(unhandled).to.deep.equal([])
  })
})
