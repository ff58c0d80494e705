/**
 * What imports take, from end to end, on a service of its own:
 *
 *     node scripts/imports/figures.ts csv [rows]        create, unchanged, update, undo; 100,000 rows
 *     node scripts/imports/figures.ts workbook [rows]   checked and committed; 1,040,000 rows, some 93 MB
 *     node scripts/imports/figures.ts camt [entries]    checked, committed and matched with as many invoices; 50,000 entries
 *     ALONE=1 node scripts/imports/figures.ts …         without other requests, whose computing is in the figures otherwise
 *
 * Beside each step: how long others waited for the API meanwhile (99 of 100 gets and creates), the most memory so far, and the
 * computing for each row by thread, which other work on the machine changes less than the time.
 */
import { openAsBlob, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnSync } from 'node:child_process'
import { memoryOf } from '../../bench/measures/memory.ts'
import { threadTimes, timesEach, toldTimes } from '../../bench/measures/thread-times.ts'
import { startService, withFolder, type ServiceProcess } from '../../test/faults/ledger/service-process.ts'
import { camt } from '../../test/imports/bank/statements.ts'
import { client, textOf, type Client, type Data } from '../../test/support/service.ts'
import { probing } from './probing.ts'

const ENDED = ['NeedsMapping', 'Checked', 'Completed', 'CompletedWithErrors', 'Cancelled', 'Failed']
const IBAN = 'NL91ABNA0417164300'
const INVOICES_AT_ONCE = 500
const IS_ALONE = process.env['ALONE'] === '1'

interface Asked {
  readonly api: Client
  readonly service: ServiceProcess
  readonly folder: string
}

async function until(api: Client, key: string, ...states: readonly string[]): Promise<Data> {
  for (;;) {
    const { data } = await api.get(`imports/${key}`)
    const state = data['State'] as string
    if (states.includes(state)) return data
    if (ENDED.includes(state)) throw new Error(`it is ${state}: ${JSON.stringify(data).slice(0, 1_000)}`)
    await delay(100)
  }
}

/** Prints how long the work took, for so many rows. */
async function measured<T>(
  { api, service }: Asked,
  what: string,
  rows: number,
  work: () => Promise<T>,
): Promise<T> {
  const probe = IS_ALONE ? undefined : probing(api)
  const before = threadTimes(service.pid)
  const begun = performance.now()
  const result = await work()
  const seconds = (performance.now() - begun) / 1_000
  const waits = await probe?.end()
  const memory = memoryOf(service.pid)
  const computing = toldTimes(timesEach(before, threadTimes(service.pid), rows))
  console.log(
    `${what}: ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s; ${waits ? `p99 of gets ${waits.gets} ms, of creates ${waits.creates} ms; ` : ''}at most ${memory?.peak} MB resident, now ${memory?.rss} with ${memory?.anonymous} anonymous\n  ${computing}; load ${loadavg()[0]!.toFixed(1)}`,
  )
  return result
}

async function send({ service }: Asked, path: string, file: Blob, options: object): Promise<string> {
  const form = new FormData()
  form.append('options', JSON.stringify(options))
  form.append('file', file, 'file')
  const answer = await fetch(`${service.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}` },
    body: form,
  })
  const text = await answer.text()
  if (answer.status !== 202) throw new Error(text)
  return (JSON.parse(text) as { Data: { Id: string } }).Data.Id
}

/** @returns the import, completed */
async function imported(asked: Asked, what: string, rows: number, path: string, file: Blob, options: object) {
  const { api } = asked
  const key = await measured(asked, `${what}, sent, read and checked`, rows, async () => {
    const sent = await send(asked, path, file, options)
    await until(api, sent, 'Checked')
    return sent
  })
  const whole = await measured(asked, `${what}, committed`, rows, async () => {
    const answer = await api.post(`imports/${key}/commit`)
    if (answer.status !== 202) throw new Error(answer.text)
    return until(api, key, 'Completed')
  })
  console.log(JSON.stringify(whole['Counts']))
  return key
}

async function csv(asked: Asked, rows: number): Promise<void> {
  const file = (name: string) =>
    new Blob([
      `Name,ExternalId,City\n${Array.from({ length: rows }, (_, i) => `${name} ${i},E-${i},City ${i % 100}`).join('\n')}\n`,
    ])
  const Fields = { Name: { Column: 'Name' }, ExternalId: { Column: 'ExternalId' } }
  const upsert = { Mode: 'upsert', KeyField: 'ExternalId', Fields, IgnoreColumns: ['City'] }
  await imported(asked, 'created', rows, 'tenant/import', file('Tenant'), {
    Mapping: { ...upsert, Mode: 'create' },
  })
  await imported(asked, 'unchanged', rows, 'tenant/import', file('Tenant'), { Mapping: upsert, Again: true })
  const key = await imported(asked, 'updated', rows, 'tenant/import', file('Renamed'), { Mapping: upsert })
  await measured(asked, 'undone', rows, async () => {
    const answer = await asked.api.post(`imports/${key}/undo`, { Commit: true })
    for (let isOver = false; !isOver; await delay(100))
      isOver = textOf((await asked.api.get(`imports/${answer.data.Id}`)).data, 'State') === 'Completed'
  })
}

async function workbook(asked: Asked, rows: number): Promise<void> {
  const path = join(asked.folder, 'large.xlsx')
  const script = join(import.meta.dirname, 'large-workbook.ts')
  spawnSync(process.execPath, [script, 'write', path, String(rows)], { stdio: 'inherit' })
  const Fields = { Name: { Column: 'Tenant' }, ExternalId: { Column: 'Contract' } }
  const Mapping = { Mode: 'create', Fields, UnknownColumns: 'ignore' }
  await imported(asked, 'workbook', rows, 'tenant/import', await openAsBlob(path), { Mapping })
}

/** Creditor references (ISO 11649) of numbers. */
const referenceOf = (number: number) =>
  `RF${String(98n - (BigInt(`${number}271500`) % 97n)).padStart(2, '0')}${number}`

async function statement(asked: Asked, entries: number): Promise<void> {
  const { api, folder } = asked
  await api.create('bankaccount', { Name: 'Rent', Iban: IBAN })
  const tenant = await api.create('tenant', { Name: 'Ann Lee' })
  const numbers = Array.from({ length: entries }, (_, i) => 1_000_000 + i)
  for (let from = 0; from < entries; from += INVOICES_AT_ONCE) {
    const Records = numbers.slice(from, from + INVOICES_AT_ONCE).map((number) => ({
      Tenant: tenant.Id,
      Status: 'Issued',
      TotalAmount: { Amount: 100, Currency: 'EUR' },
      PaymentReference: referenceOf(number),
    }))
    const made = await api.post('invoice/batch', { Records })
    if (made.status >= 300) throw new Error(made.text)
  }
  const lines = numbers.map((number) => ({
    day: '2029-04-02',
    amount: '100.00',
    text: `rent ${number}`,
    reference: `B${number}`,
    structured: referenceOf(number),
  }))
  const path = join(folder, 'camt.xml')
  writeFileSync(path, camt([{ account: IBAN, number: '1', opening: '0.00', lines }]))
  await imported(asked, 'camt', entries, 'bankstatement/import', await openAsBlob(path), {})
  const of = { filter: "Status eq 'Matched'", pageSize: '1' }
  const { TotalRecords } = (await api.list('banktransaction', of)).pagination
  console.log(`${TotalRecords} of ${entries} lines are matched`)
}

const WHAT = {
  csv: { run: csv, rows: 100_000 },
  workbook: { run: workbook, rows: 1_040_000 },
  camt: { run: statement, rows: 50_000 },
}

const [what = '', rows] = process.argv.slice(2)
if (Object.hasOwn(WHAT, what)) {
  const chosen = WHAT[what as keyof typeof WHAT]
  await withFolder(async (folder) => {
    const service = await startService({ dataDir: join(folder, 'data') })
    const api = client(() => service.url, service.token)
    await chosen.run({ api, service, folder }, rows === undefined ? chosen.rows : Number(rows))
    await service.end('SIGTERM')
  })
} else {
  console.error('usage: node scripts/imports/figures.ts csv|workbook|camt [rows]')
  process.exitCode = 2
}
