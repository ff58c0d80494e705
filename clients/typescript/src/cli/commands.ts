/** The commands: what each takes, and what it answers. */
import type { Daybook } from '../daybook.ts'
import { generateTypes } from '../generate-types.ts'

/** The command was not written as it should be. */
export class Usage extends Error {}

export interface Options {
  readonly filter?: string
  readonly sort?: string
  readonly limit?: string
  readonly reason?: string
  readonly 'if-match'?: string
  readonly 'as-of'?: string
}

export interface Command {
  readonly usage: string
  readonly about: string
  /** Text is written as it is; other answers as a table or as JSON. */
  run(daybook: Daybook, given: readonly string[], options: Options): Promise<unknown>
}

const writing = (options: Options) => ({ reason: options.reason, ifMatch: options['if-match'] })

export const commands: { readonly [name: string]: Command } = {
  me: { usage: '', about: 'who the token is', run: (daybook) => daybook.session.me() },
  get: {
    usage: '<key> [--as-of 2029-12-31]',
    about: 'a record',
    run: async (daybook, given, options) => {
      const asOf = options['as-of']
      const { record } = await recordsOf(daybook, given[0]).get(given[0]!, asOf === undefined ? {} : { asOf })
      return record
    },
  },
  list: {
    usage: '<object> [--filter …] [--sort …] [--limit 25]',
    about: 'records of an object',
    run: (daybook, [object], { filter, sort, limit = '25', 'as-of': asOf }) => {
      if (object === undefined) throw new Usage('list needs an object: daybook list contract')
      if (!/^\d{1,9}$/.test(limit)) throw new Usage('--limit must be a number')
      const query = { ...(filter !== undefined && { filter }), ...(sort !== undefined && { sort }) }
      const when = asOf === undefined ? { live: true } : { asOf }
      return daybook
        .records(object)
        .list({ ...query, ...when })
        .toArray({ limit: Number(limit) })
    },
  },
  create: {
    usage: '<object> <Field=value>… [--reason …]',
    about: 'a new record',
    run: async (daybook, [object, ...fields], { reason }) => {
      if (object === undefined) throw new Usage('create needs an object: daybook create tenant Name=Ann')
      return (await daybook.records(object).create(fieldsOf(fields), { reason })).record
    },
  },
  set: {
    usage: '<key> <Field=value>… [--if-match \'"3"\'] [--reason …]',
    about: 'changes fields; Field= clears one',
    run: async (daybook, [key, ...fields], options) =>
      (await recordsOf(daybook, key).update(key!, fieldsOf(fields), writing(options))).record,
  },
  act: {
    usage: '<key> <action> [comment]',
    about: 'takes a workflow action',
    run: async (daybook, [key, action, Comment], options) => {
      const records = recordsOf(daybook, key)
      if (action === undefined) return (await records.workflow(key!)).Actions
      const comment = Comment === undefined ? {} : { Comment }
      return (await records.act(key!, action, { ...comment, ...writing(options) })).record
    },
  },
  history: {
    usage: '<key>',
    about: 'what happened to a record',
    run: (daybook, [key]) => recordsOf(daybook, key).history(key!).toArray({ limit: 10_000 }),
  },
  sql: {
    usage: '<question>',
    about: 'asks the warehouse',
    run: async (daybook, [sql]) => {
      if (sql === undefined) throw new Usage('sql needs a question')
      const { Columns, Rows } = await daybook.warehouse.query(sql)
      return Rows.map((row) => Object.fromEntries(Columns.map((column, at) => [column, row[at]])))
    },
  },
  types: {
    usage: '> objects.d.ts',
    about: 'TypeScript types of the objects; needs no token',
    run: async (daybook) => generateTypes(await daybook.openapi()),
  },
}

function recordsOf(daybook: Daybook, key: string | undefined) {
  const object = key?.split('-')[0]
  if (key === undefined || object === undefined || !key.includes('-'))
    throw new Usage('the Key of a record is needed, such as contract-…')
  return daybook.records(object)
}

/** `Name=Ann`, `Duration=24`, `MonthlyRent={"Amount":1200,"Currency":"EUR"}`; what is not JSON is text. */
function fieldsOf(given: readonly string[]): { readonly [field: string]: unknown } {
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
