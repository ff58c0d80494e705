/** Commands about records. */
import type { Daybook } from '../daybook.ts'
import { needed, oneOf, said, Usage, type Commands, type Options } from './command.ts'

const writing = (options: Options) => ({
  reason: options.reason,
  ifMatch: options['if-match'],
  dryRun: options['dry-run'],
})

const listed = ({ filter, search, sort, fields }: Options) =>
  said({ filter, search, sort, fields: fields?.split(',') })

export const recordCommands: Commands = {
  get: {
    usage: '<key> [--as-of 2029-12-31 | 3]',
    about: 'a record; as it was at a moment, or in a version',
    run: async ({ daybook }, [key], options) => {
      const asOf = options['as-of']
      return (await recordsOf(daybook, key).get(key!, said({ asOf }))).record
    },
  },
  list: {
    usage: '<object> [--filter …] [--search …] [--sort …] [--fields …] [--limit 25] [--as-of …]',
    about: 'records of an object',
    run: ({ daybook }, [object], options) => {
      const { limit = '25', 'as-of': asOf } = options
      if (!/^\d{1,9}$/.test(limit)) throw new Usage('--limit must be a number')
      const when = asOf === undefined ? { live: true } : { asOf }
      const records = daybook.records(needed(object, 'an object, such as contract,'))
      return records.list({ ...listed(options), ...when }).toArray({ limit: Number(limit) })
    },
  },
  create: {
    usage: '<object> <Field=value>… [--reason …] [--dry-run]',
    about: 'a new record',
    dry: true,
    run: async ({ daybook }, [object, ...fields], { reason, 'dry-run': dryRun }) => {
      const records = daybook.records(needed(object, 'an object, such as tenant,'))
      return (await records.create(fieldsOf(fields), { reason, dryRun })).record
    },
  },
  set: {
    usage: '<key> <Field=value>… [--if-match \'"3"\'] [--reason …] [--dry-run]',
    about: 'changes fields; Field= clears one',
    dry: true,
    run: async ({ daybook }, [key, ...fields], options) =>
      (await recordsOf(daybook, key).update(key!, fieldsOf(fields), writing(options))).record,
  },
  delete: {
    usage: '<key> [--reason …] [--dry-run]',
    about: 'deletes a record; restore brings it back',
    dry: true,
    run: ({ daybook }, [key], options) => recordsOf(daybook, key).delete(key!, writing(options)),
  },
  restore: {
    usage: '<key> [--reason …] [--dry-run]',
    about: 'brings a deleted record back',
    dry: true,
    run: async ({ daybook }, [key], options) =>
      (await recordsOf(daybook, key).restore(key!, writing(options))).record,
  },
  act: {
    usage: '<key> [<action> [comment]] [--dry-run]',
    about: 'takes a workflow action; without one: those that can be taken now',
    dry: true,
    run: async ({ daybook }, [key, action, Comment], options) => {
      const records = recordsOf(daybook, key)
      if (action === undefined) return (await records.workflow(key!)).Actions
      return (await records.act(key!, action, { ...said({ Comment }), ...writing(options) })).record
    },
  },
  history: {
    usage: '<key>',
    about: 'what happened to a record',
    run: ({ daybook }, [key]) => recordsOf(daybook, key).history(key!).toArray({ limit: 10_000 }),
  },
  diff: {
    usage: '<key> <version or moment> [<version or moment>]',
    about: 'how a record differs from what it was; fields only',
    run: async ({ daybook }, [key, from, to]) => {
      const records = recordsOf(daybook, key)
      const earlier = needed(from, 'a version or a moment, such as 3 or 2029-12-31,')
      const [before, after] = await Promise.all([
        records.get(key!, { asOf: earlier }),
        records.get(key!, said({ asOf: to })),
      ])
      return differences(before.record, after.record)
    },
  },
  export: {
    usage: '<object> [--format csv|xlsx] [--filter …] [--fields …] [--as-of now] > file',
    about: 'a list as a file',
    run: ({ daybook }, [object], options) => {
      const format = oneOf(options.format ?? 'csv', ['csv', 'xlsx'], '--format')
      const records = daybook.records(needed(object, 'an object, such as contract,'))
      return records.export({ ...listed(options), ...said({ asOf: options['as-of'] }), format })
    },
  },
}

function recordsOf(daybook: Daybook, key: string | undefined) {
  const object = key?.split('-')[0]
  if (key === undefined || object === undefined || !key.includes('-'))
    throw new Usage('the Key of a record is needed, such as contract-…')
  return daybook.records(object)
}

type Values = { readonly [field: string]: unknown }

function differences(before: Values, after: Values) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => field !== 'ModifiedAt')
    .map((Field) => ({ Field, From: before[Field] ?? null, To: after[Field] ?? null }))
    .filter(({ From, To }) => JSON.stringify(From) !== JSON.stringify(To))
}

/** `Name=Ann`, `Duration=24`, `MonthlyRent={"Amount":1200,"Currency":"EUR"}`; what is not JSON is text. */
function fieldsOf(given: readonly string[]): Values {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, text] = /^(\w+)=(.*)$/s.exec(one) ?? []
      if (name === undefined || text === undefined) throw new Usage(`${one}: write Field=value`)
      return [name, valueOf(text)]
    }),
  )
}

function valueOf(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
