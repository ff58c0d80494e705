/**
 * `node scripts/load/audit-export.ts [--events 200000] [--readers 3]`: fills a store, downloads the whole audit with some
 * readers at once, one of them slow, and says how much memory the service took for it beyond what it had before. Exit code
 * 1 when that is over the goal, which does not depend on how many events there are; or when an event is missing.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { startService, withFolder, type ServiceProcess } from '../../test/faults/ledger/service-process.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { loopDelay, residentMegabytes } from './event-loop.ts'

const ROWS = 500
const GOAL_MB = 150
/** What the slow reader takes at a time, and how long it rests then. */
const SLOW = { bytes: 1_000_000, ms: 20 }

/**
 * What the process holds for itself, in MB. Pages of the event file that it has mapped are the kernel's, which takes them
 * back whenever it likes: on Linux they are left out.
 */
async function ownMegabytes({ pid, url }: ServiceProcess): Promise<number> {
  if (process.platform !== 'linux') return residentMegabytes(url)
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1_024
}

const { events, readers } = numbersFromArguments({ events: 200_000, readers: 3 })

await withFolder(async (dataDir) => {
  let service = await startService({ dataDir })
  const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
  const start = performance.now()
  for (let sent = 0; sent < events; sent += ROWS) {
    const Records = Array.from({ length: ROWS }, (_, row) => ({ Name: `Tenant ${sent + row}`, Phone: '1' }))
    const body = JSON.stringify({ Records })
    const response = await fetch(`${service.url}/api/v1/tenant/batch`, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`${response.status}: ${(await response.text()).slice(0, 500)}`)
    await response.arrayBuffer()
  }
  console.log(`${events} events written in ${((performance.now() - start) / 1_000).toFixed(1)} s`)
  // Fresh, so that what the writing has left in memory is not taken for the export's.
  await service.end('SIGTERM')
  service = await startService({ dataDir })
  await (await fetch(`${service.url}/api/v1/audit?pageSize=1`, { headers })).text()
  await loopDelay(service.url)
  await delay(3_000)
  const idle = (await loopDelay(service.url)).max
  const before = await ownMegabytes(service)

  const download = async (slow: boolean) => {
    const response = await fetch(`${service.url}/api/v1/audit/export?object=tenant`, { headers })
    let [lines, bytes, rested] = [0, 0, 0]
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      bytes += chunk.length
      for (const byte of chunk) if (byte === 10) lines++
      if (slow && bytes - rested > SLOW.bytes) {
        rested = bytes
        await delay(SLOW.ms)
      }
    }
    return { lines, bytes }
  }
  const samples: number[] = []
  let held = 0
  let over = false
  const watching = (async () => {
    while (!over) {
      held = Math.max(held, (await loopDelay(service.url)).max)
      samples.push(await ownMegabytes(service))
      await delay(100)
    }
  })()
  const begun = performance.now()
  const found = await Promise.all(Array.from({ length: readers }, (_, reader) => download(reader === 0)))
  const seconds = (performance.now() - begun) / 1_000
  over = true
  await watching
  const most = Math.max(before, ...samples)
  const quarters = [1, 2, 3, 4].map((n) => samples[Math.ceil((samples.length * n) / 4) - 1]?.toFixed(0))
  const { lines, bytes } = found[0]!
  console.log(
    `${readers} exports at once of ${lines} events (${(bytes / 1e6).toFixed(0)} MB each) in ${seconds.toFixed(1)} s. ` +
      `Memory: ${before.toFixed(0)} MB before, ${quarters.join(', ')} MB after each quarter of the time, ` +
      `${most.toFixed(0)} MB at most. The event loop was held up for at most ${held.toFixed(0)} ms (${idle.toFixed(0)} ms when idle: what the machine itself costs)`,
  )
  const wanted = Math.ceil(events / ROWS) * ROWS
  if (found.some((one) => one.lines !== wanted)) {
    console.error(`each should have had ${wanted} events`)
    process.exitCode = 1
  }
  if (most - before > GOAL_MB) process.exitCode = 1
  await service.end('SIGTERM')
})
