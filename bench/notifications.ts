/**
 * `node bench/notifications.ts [--timers 1000000] [--fired 20000] [--mails 1000]`: a store with that many timers (how long it takes to
 * fill and to open, and what memory it takes), timers fired a second, and mails a second to a server on this machine, each
 * stored before and after it is sent.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { numbersFromArguments } from '../scripts/faults/arguments.ts'
import { apiOf } from '../scripts/webhooks/api.ts'
import { sqliteTimers } from '../src/adapters/sqlite/timers/timers.ts'
import { caller, definition, key, manualClock, writeSide } from '../test/support/write-side.ts'
import { startService } from '../test/faults/ledger/service-process.ts'
import { adoptRules } from '../src/timers/adopt-rules.ts'
import { planTimers, timerProjections } from '../src/timers/plan-timers.ts'
import { timerPoller } from '../src/timers/poll.ts'
import type { TimerRule } from '../src/timers/rule.ts'
import { followEvents } from '../src/projections/follow.ts'
import type { Fields } from '../src/domain/json.ts'

const { timers, fired, mails } = numbersFromArguments({ timers: 1_000_000, fired: 20_000, mails: 1_000 })
const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
const COMPANY = key('company', 1)
const PIECE = 1_000
const seconds = (since: number) => (performance.now() - since) / 1_000
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MB`

/** What a process has used of its cores, in seconds, as Linux counts it. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function manyTimers(): Promise<void> {
  const path = join(folder, 'timers.db')
  const before = process.memoryUsage.rss()
  const began = performance.now()
  const filled = sqliteTimers(path)
  for (let from = 0; from < timers; from += PIECE)
    await filled.store(
      Array.from({ length: Math.min(PIECE, timers - from) }, (_, at) => ({
        op: 'plan' as const,
        company: COMPANY,
        rule: 'job.reminder@1',
        record: key('job', from + at),
        position: from + at + 1,
        timers: [{ occurrence: 'Until|2030-01-01|-30', due: 1_900_000_000_000 + (from + at) * 1_000 }],
      })),
    )
  await filled.close()
  console.log(
    `${timers} timers stored, ${Math.round(timers / seconds(began))} a second; ${megabytes(statSync(path).size)} on the disk`,
  )
  const opening = performance.now()
  const opened = sqliteTimers(path)
  await opened.due(1_900_000_000_000, 200)
  console.log(`opened and asked for what is due: ${Math.round(seconds(opening) * 1_000)} ms`)
  const looks = performance.now()
  for (let one = 0; one < 1_000; one++) await opened.due(1_900_000_000_000 + one * 1_000, 200)
  console.log(
    `a look for what is due: ${seconds(looks).toFixed(2)} ms; memory ${megabytes(process.memoryUsage.rss() - before)} more than without`,
  )
  await opened.close()
}

async function firing(): Promise<void> {
  const clock = manualClock('2026-01-01T00:00:00.000Z')
  const side = writeSide({ clock })
  for (let one = 0; one < fired; one++)
    await side.write.create(caller({ company: COMPANY }), {
      definition: definition('job'),
      body: { Title: 'x', Until: '2026-06-01' },
    })
  let count = 0
  const rule: TimerRule = {
    name: 'job.reminder',
    shape: '1',
    object: 'job',
    fields: ['Until'],
    plan: ({ state }) => [{ occurrence: 'Until', due: Date.parse(state.fields['Until'] as string) }],
    fire: async () => void count++,
  }
  const store = sqliteTimers(join(folder, 'fired.db'))
  const adopted = await adoptRules([rule], { events: side.events, timers: store, clock })
  const trouble = (message: string, error: unknown) => console.error(message, error)
  const planning = performance.now()
  const follower = await followEvents({
    events: side.events,
    store: planTimers({ adopted, timers: store, states: side.states, events: side.events }),
    projections: timerProjections(adopted),
    onStatus: () => {},
    onTrouble: trouble,
  })
  const head = await side.events.head()
  while ((follower.status()[0]?.position ?? 0) < head) await delay(1)
  console.log(`planned from events: ${Math.round(fired / seconds(planning))} records a second`)
  clock.jump('2026-07-01T00:00:00.000Z')
  const poller = timerPoller({ adopted, timers: store, states: side.states, clock, onTrouble: trouble })
  const [began, cpu] = [performance.now(), cpuSeconds()]
  await poller.once()
  console.log(
    `fired: ${Math.round(count / seconds(began))} a second, ${(((cpuSeconds() - cpu) / count) * 1_000).toFixed(3)} ms of CPU each`,
  )
  await follower.stop()
  await store.close()
}

async function mailing(): Promise<void> {
  let [taken, first, last] = [0, 0, 0]
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      stream.resume()
      stream.on('end', () => {
        last = performance.now()
        if (taken++ === 0) first = last
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const settings = { SMTP_URL: `smtp://127.0.0.1:${port}` }
  const service = await startService({ dataDir: join(folder, 'data'), settings })
  const api = apiOf(service)
  const template = {
    name: 'R',
    trigger: 'service-request-created',
    subject: 'S',
    body: '<p>Dear {{Tenant.Name}}: {{Subject}}</p>',
  }
  await api.send('POST', 'notifications/templates', { template })
  const made = await api.send('POST', 'tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
  const Tenant = (made['Data'] as Fields)['Id']!
  const before = cpuOf(service.pid)
  for (let from = 0; from < mails; from += 500) {
    const Records = Array.from({ length: Math.min(500, mails - from) }, (_, at) => ({
      Subject: `Request ${from + at}`,
      Tenant,
    }))
    await api.send('POST', 'servicerequest/batch', { Records })
  }
  for (let looks = 0; looks < 1_200 && taken < mails; looks++) await delay(100)
  const cpu = (((cpuOf(service.pid) - before) / taken) * 1_000).toFixed(1)
  console.log(
    `${taken} of ${mails} mails taken by a local server: ${Math.round((taken - 1) / ((last - first) / 1_000))} a second, ` +
      `${cpu} ms of CPU each, with the request, the record and the message`,
  )
  await service.end('SIGTERM')
  await new Promise<void>((resolve) => server.close(resolve))
}

try {
  await manyTimers()
  await firing()
  await mailing()
} finally {
  rmSync(folder, { recursive: true })
}
