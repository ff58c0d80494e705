/**
 * Mails are written and sent, and the service is killed in between, again and again: none may be missing, what the server took
 * twice has the same Message-ID and was under way at a kill, and with `hold` nothing is taken twice: what is not known to be sent
 * is `uncertain`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { apiOf } from '../../scripts/webhooks/api.ts'
import type { Fields } from '../../src/domain/json.ts'
import { startService } from './ledger/service-process.ts'

export interface MailRounds {
  readonly dataDir: string
  /** Holds the trigger. */
  readonly definitionsDir: string
  readonly mails: number
  readonly kills: number
  readonly ifUnsure: 'resend' | 'hold'
  /** Longest to wait for the end, in ms. */
  readonly patienceMs: number
  readonly onRound?: (line: string) => void
}

export interface MailReport {
  readonly faults: readonly string[]
  readonly duplicates: number
  readonly uncertain: number
  readonly seconds: number
}

/** Mails that may be under way when the service is killed. */
const UNDER_WAY = 10
const TRIGGER = 'request-noted'

export async function mailRounds(options: MailRounds): Promise<MailReport> {
  const { dataDir, definitionsDir, mails, kills, ifUnsure, patienceMs, onRound = () => {} } = options
  const began = performance.now()
  writeTrigger(definitionsDir, ifUnsure)
  const server = await mailServer()
  const settings = {
    SMTP_URL: server.url,
    DEFINITIONS_DIR: definitionsDir,
    WEBHOOK_SCHEDULE: `0s${',1s'.repeat(19)}`,
  }
  const start = () => startService({ dataDir, settings })
  try {
    let service = await start()
    const template = { name: 'Noted', trigger: TRIGGER, subject: 'Noted', body: '<p>{{Subject}}</p>' }
    await apiOf(service).send('POST', 'notifications/templates', { template })
    const made = await apiOf(service).send('POST', 'tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    const Tenant = (made['Data'] as Fields)['Id']!

    let count = 0
    for (let round = 0; round <= kills; round++) {
      const share = Math.floor(((round + 1) * mails) / (kills + 1)) - count
      const Records = Array.from({ length: share }, (_, n) => ({ Subject: `Request ${count + n}`, Tenant }))
      if (share > 0) await apiOf(service).send('POST', 'servicerequest/batch', { Records })
      count += share
      if (round === kills) break
      await delay(100 + ((round * 137) % 500))
      await service.end('SIGKILL')
      service = await start()
      onRound(`kill ${round + 1}: ${server.taken.size} of ${count}`)
    }

    const totalIn = async (...states: string[]) => {
      const filter = encodeURIComponent(states.map((state) => `State eq '${state}'`).join(' or '))
      const list = await apiOf(service).send('GET', `notifications/messages?pageSize=1&filter=${filter}`)
      return (list['Pagination'] as Fields)['TotalRecords'] as number
    }
    const end = performance.now() + patienceMs
    while ((await totalIn('sent', 'uncertain')) < mails && performance.now() < end) await delay(200)
    const [sent, uncertain] = [await totalIn('sent'), await totalIn('uncertain')]
    await service.end('SIGTERM')
    const duplicates = [...server.taken.values()].reduce((sum, times) => sum + times - 1, 0)
    const faults = faultsOf({ ...options, sent, uncertain, duplicates, taken: server.taken.size })
    return { faults, duplicates, uncertain, seconds: (performance.now() - began) / 1_000 }
  } finally {
    await server.close()
  }
}

interface Outcome extends Pick<MailRounds, 'mails' | 'kills' | 'ifUnsure'> {
  readonly sent: number
  readonly uncertain: number
  readonly duplicates: number
  /** Different Message-IDs that the server took. */
  readonly taken: number
}

function faultsOf({ mails, kills, ifUnsure, sent, uncertain, duplicates, taken }: Outcome): string[] {
  const faults: string[] = []
  if (sent + uncertain !== mails) faults.push(`${sent} sent and ${uncertain} uncertain, of ${mails}`)
  if (taken < sent) faults.push(`the server took ${taken}, but ${sent} are said to be sent`)
  if (duplicates > kills * UNDER_WAY)
    faults.push(`${duplicates} were taken twice, more than were under way at ${kills} kills`)
  if (ifUnsure === 'resend' && uncertain > 0) faults.push(`${uncertain} are uncertain`)
  if (ifUnsure === 'hold' && duplicates > 0) faults.push(`${duplicates} were taken twice`)
  if (taken > mails) faults.push(`${taken} Message-IDs for ${mails} messages`)
  return faults
}

function writeTrigger(folder: string, ifUnsure: MailRounds['ifUnsure']): void {
  const area = join(folder, 'triggers', 'facility-management')
  mkdirSync(area, { recursive: true })
  const trigger = {
    trigger: TRIGGER,
    area: 'facility-management',
    object: 'servicerequest',
    on: { event: 'servicerequest.created' },
    to: [{ field: 'Tenant.Email' }],
    ifUnsure,
  }
  writeFileSync(join(area, `${TRIGGER}.json`), JSON.stringify(trigger))
}

/** Takes every mail, and counts them by Message-ID. */
async function mailServer() {
  const taken = new Map<string, number>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const id = /^Message-ID: (.*)$/m.exec(Buffer.concat(chunks).toString())![1]!.trim()
        taken.set(id, (taken.get(id) ?? 0) + 1)
        // The mail is taken; the answer comes a moment later.
        setTimeout(() => done(), 5)
      })
    },
  })
  // Connections of a process that was killed.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
