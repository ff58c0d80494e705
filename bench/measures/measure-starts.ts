/** How long a start takes, how long the read models take to be built anew, and what an idle service occupies. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fact } from '../figures.ts'
import { memoryOf } from './memory.ts'
import { access } from '../requests.ts'
import { startDaybook, type RunningServer } from '../servers.ts'

/** A service that has just started still gives back what starting took. */
const IDLE_MS = 3_000
const STARTS = 3

/** The median of a few starts on a store that was closed in order. */
export async function measureStart(dataDir: string): Promise<Fact[]> {
  const times: number[] = []
  let rss: number | undefined
  for (let i = 0; i < STARTS; i++) {
    const server = await startDaybook({ dataDir })
    times.push(server.readyAfter)
    if (i === STARTS - 1) rss = await idleMemory(server)
    await server.stop()
  }
  const events = count(eventsIn(dataDir))
  const seconds = times.sort((a, b) => a - b)[Math.floor(STARTS / 2)]! / 1_000
  return [
    {
      name: 'start',
      title: `start to ready with ${events} events`,
      value: seconds,
      unit: 's',
      goal: 2,
      notes: [],
    },
    ...(rss === undefined ? [] : [idleFact(`idle after a start with ${events} events`, rss)]),
  ]
}

/** The store must not be in use. Removes its read models and starts the service on what is left: the events. */
export async function measureRebuild(dataDir: string): Promise<Fact> {
  const before = await startDaybook({ dataDir })
  const expected = await contractsListed(before)
  await before.stop()
  for (const name of readdirSync(dataDir))
    if (/^read-models-.*\.db(-wal|-shm)?$/.test(name)) rmSync(join(dataDir, name))
  const server = await startDaybook({ dataDir })
  const peak = memoryOf(server.pid)?.peak
  const seconds = server.readyAfter / 1_000
  const rebuilt = await contractsListed(server)
  const failure = await server.stop().catch((error: unknown) => String(error))
  const events = eventsIn(dataDir)
  return {
    name: 'rebuild',
    title: `rebuild of the read models from ${count(events)} events`,
    value: seconds,
    unit: 's',
    // The goal is that of a million events, for more of them so much more.
    goal: events >= 1_000_000 ? (60 * events) / 1_000_000 : undefined,
    notes: [
      `${count(Math.round(events / seconds))} events a second`,
      ...(peak === undefined ? [] : [`at most ${peak} MB resident (goal: 512)`]),
      ...(rebuilt === expected ? [] : [`failed: ${rebuilt} contracts where there were ${expected}`]),
      ...(failure === undefined ? [] : [`failed to stop after it: ${failure}`]),
    ],
  }
}

/** What a new, empty service occupies. */
export async function measureIdle(dataDir: string): Promise<Fact[]> {
  const server = await startDaybook({ dataDir })
  const rss = await idleMemory(server)
  await server.stop()
  return rss === undefined ? [] : [idleFact('idle with an empty store', rss)]
}

function idleFact(title: string, rss: number): Fact {
  return { name: 'idle', title, value: rss, unit: 'MB', goal: 150, notes: [] }
}

async function idleMemory({ pid }: RunningServer): Promise<number | undefined> {
  await delay(IDLE_MS)
  return memoryOf(pid)?.rss
}

async function contractsListed({ port }: RunningServer): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/contract?pageSize=1`, {
    headers: { Authorization: `Bearer ${access.token}` },
  })
  const { Pagination } = (await response.json()) as { Pagination: { TotalRecords: number } }
  return Pagination.TotalRecords
}

function eventsIn(dataDir: string): number {
  const db = new DatabaseSync(join(dataDir, 'events.db'), { readOnly: true })
  try {
    return db.prepare('SELECT count(*) AS events FROM events').get()!['events'] as number
  } finally {
    db.close()
  }
}

function count(value: number): string {
  return value.toLocaleString('en')
}
