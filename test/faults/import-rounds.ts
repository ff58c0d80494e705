/**
 * Kills the service in each state of imports in turn: while a file is sent, read, checked, committed, and while an import is
 * undone. After each kill it is started again, and every row has to be one record, or none once it is undone.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { countsIn, CSV, settled } from '../imports/import-support.ts'
import { seededRandom } from '../support/random.ts'
import { client, textOf, type Client, type Data } from '../support/service.ts'
import { startService, type ServiceProcess } from './ledger/service-process.ts'

export interface ImportRounds {
  readonly dataDir: string
  readonly kills: number
  readonly seed: number
  readonly onKill?: (kill: number, faults: readonly string[]) => void
}

export interface ImportReport {
  readonly faults: readonly string[]
  /** Rows that are records in the end. */
  readonly rows: number
  /** By the moment that was aimed at: the states in which the import was found after the kill. */
  readonly found: ReadonlyMap<Moment, readonly string[]>
}

export const MOMENTS = ['upload', 'read', 'check', 'commit', 'undo'] as const
export type Moment = (typeof MOMENTS)[number]

/** Four chunks. */
const ROWS = 1_600
/** From the beginning of what is aimed at to the kill, at most. */
const WITHIN_MS: Readonly<Record<Moment, number>> = {
  upload: 40,
  read: 150,
  check: 250,
  commit: 400,
  undo: 400,
}

const Mapping = {
  Fields: {
    MonthlyRent: { Amount: { Constant: 100 }, Currency: { Constant: 'EUR' } },
    LeaseType: { Column: 'Mark' },
    StartDate: { Column: 'Start' },
    Notes: { Column: 'Notes' },
  },
}

export async function importRounds({ dataDir, kills, seed, onKill }: ImportRounds): Promise<ImportReport> {
  const random = seededRandom(seed)
  const faults: string[] = []
  const found = new Map<Moment, string[]>(MOMENTS.map((moment) => [moment, []]))
  let service: ServiceProcess = await startService({ dataDir })
  const api = client(() => service.url, service.token)
  let rows = 0

  for (let kill = 0; kill < kills; kill++) {
    const moment = MOMENTS[kill % MOMENTS.length]!
    const own: string[] = []
    const { begun, again } = beginning(api, moment, kill)
    await begun()
    await delay(random.between(0, WITHIN_MS[moment]))
    await service.end('SIGKILL')
    service = await startService({ dataDir })
    const key = await again()
    found.get(moment)!.push(textOf((await api.get(`imports/${key}`)).data, 'State'))
    own.push(...(await faultsOf(api, key, moment)))
    if (moment !== 'undo') rows += ROWS
    const { TotalRecords } = (await api.list('contract', { pageSize: '1' })).pagination
    if (TotalRecords !== rows) own.push(`there are ${TotalRecords} contracts in place of ${rows}`)
    faults.push(...own.map((fault) => `kill ${kill + 1}, while ${moment}: ${fault}`))
    onKill?.(kill + 1, own)
  }
  faults.push(...(await numberFaults(api, rows)))
  await service.end('SIGTERM')
  return { faults, rows, found }
}

interface Beginning {
  /** Resolves when what is aimed at has begun. */
  begun(): Promise<void>
  /** After the kill: what a client does that had no answer. @returns the Key of the import, or of its undo */
  again(): Promise<string>
}

function beginning(api: Client, moment: Moment, kill: number): Beginning {
  const send = () => sent(api, kill)
  let key: Promise<string>
  if (moment === 'upload')
    return {
      async begun() {
        await Promise.race([send().catch(() => {}), delay(1)])
      },
      again: send,
    }
  return {
    async begun() {
      key = send()
      if (moment === 'undo') {
        await settled(api, await key)
        key = undone(api, await key)
      }
      await (moment === 'read' ? key : untilIn(api, await key, moment))
    },
    again: () => key,
  }
}

async function undone(api: Client, original: string): Promise<string> {
  const answer = await api.post(`imports/${original}/undo`, { Commit: true })
  if (answer.status !== 202) throw new Error(answer.text)
  return answer.data.Id
}

/** Waits until the import is in that phase, or beyond. */
async function untilIn(api: Client, key: string, phase: Moment): Promise<void> {
  for (;;) {
    const { data } = await api.get(`imports/${key}`)
    const progress = data['Progress'] as { readonly Phase: string } | null
    const isBeyond = !['Reading', 'Checked'].includes(data['State'] as string) && phase === 'check'
    if (progress?.Phase === phase || isBeyond || textOf(data, 'State').startsWith('Completed')) return
  }
}

/** @returns the Key of the import; a repeated request has the same answer */
async function sent(api: Client, kill: number): Promise<string> {
  const lines = Array.from({ length: ROWS }, (_, i) => `K${kill}-${i},2031-01-01,${'x'.repeat(100)}`)
  const boundary = 'between-the-parts'
  const part = (name: string, more: string, body: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${body}\r\n`
  const options = JSON.stringify({ Commit: true, Mapping })
  const file = `Mark,Start,Notes\n${lines.join('\n')}\n`
  const body = `${part('options', '', options)}${part('file', '; filename="rents.csv"', file)}--${boundary}--\r\n`
  const answer = await api.post('contract/import', body, {
    ...CSV,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Idempotency-Key': `file-${kill}`,
  })
  if (answer.status !== 202) throw new Error(answer.text)
  return answer.data.Id
}

async function faultsOf(api: Client, key: string, moment: Moment): Promise<readonly string[]> {
  const whole: Data = await settled(api, key)
  const { Done, Created, Undone } = countsIn(whole)
  const done = moment === 'undo' ? Undone : Created
  return whole['State'] === 'Completed' && done === ROWS && Done === ROWS
    ? []
    : [`${key} is ${textOf(whole, 'State')}: ${JSON.stringify([whole['Reason'], countsIn(whole)])}`]
}

/** Numbers and marks of the rows: none twice. */
async function numberFaults(api: Client, rows: number): Promise<readonly string[]> {
  const numbers = new Set<unknown>()
  const marks = new Set<unknown>()
  for (let page = 1; page <= Math.ceil(rows / 100); page++) {
    const { list } = await api.list('contract', { page: String(page), pageSize: '100', sort: 'Id' })
    for (const { ContractNumber, LeaseType } of list) {
      numbers.add(ContractNumber)
      marks.add(LeaseType)
    }
  }
  return numbers.size === rows && marks.size === rows
    ? []
    : [`${rows} rows have ${numbers.size} numbers and ${marks.size} marks`]
}
