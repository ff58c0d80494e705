/**
 * `node scripts/load/hostile-bodies.ts [--at-once 30]`: sends bodies that are meant to cost as much as they can, one kind
 * after the other, and shows how long the service's main thread computed at a stretch, how much memory each took, and what
 * was answered. Exit code 1 when a goal is missed: 50 ms at a stretch; 100 MB for one body, 600 MB for any number at once;
 * an answer of at most a megabyte.
 */
import { readFileSync } from 'node:fs'
import { numbersFromArguments } from '../faults/arguments.ts'
import { withFilledService, type FilledService } from './filled-service.ts'
import { judge, type Judged } from './judged.ts'

const GOAL = { held: 50, alone: 100, atOnce: 600, answer: 1 }
const LOOK_MS = 20
const WARM_UP = 5
const MEGABYTE = 1_048_576

const { 'at-once': atOnce } = numbersFromArguments({ 'at-once': 30 })

interface Sent {
  readonly path: string
  readonly body: string
}

/** An object of so many members that no definition knows. */
const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`
const rows = (count: number, row: (i: number) => string) =>
  `{"Records":[${Array.from({ length: count }, (_, i) => row(i)).join(',')}]}`
const largest = 'the quick brown fox jumps over the lazy dog '.repeat(450)

const BODIES: Readonly<Record<string, Sent>> = {
  'a batch of 10 MB': {
    path: 'document/batch',
    body: rows(500, (i) => JSON.stringify({ Title: `Document ${i}`, Description: largest })),
  },
  '500 rows of 1,600 unknown members': { path: 'tenant/batch', body: rows(500, () => members(1_600)) },
  '500 rows of 390 unknown members': { path: 'tenant/batch', body: rows(500, () => members(390)) },
  '800,000 unknown members beside the rows': { path: 'tenant/batch', body: members(800_000) },
  'a webhook of 150,000 events': {
    path: 'webhooks',
    body: JSON.stringify({
      Url: 'https://example.com/',
      Events: Array.from({ length: 150_000 }, () => 'x.y'),
    }),
  },
  'a webhook of 19,000 events': {
    path: 'webhooks',
    body: JSON.stringify({
      Url: 'https://example.com/',
      Events: Array.from({ length: 19_000 }, () => 'x.y'),
    }),
  },
  'a create of 80,000 unknown members': { path: 'tenant', body: members(80_000) },
  'a create of 19,000 unknown members': { path: 'tenant', body: members(19_000) },
  'a create of one text of 900 kB': {
    path: 'tenant',
    body: JSON.stringify({ Name: largest.repeat(46).slice(0, 900_000) }),
  },
}

await withFilledService(1_000, async (service) => {
  const figures: Judged[] = []
  for (const [what, sent] of Object.entries(BODIES)) {
    for (let i = 0; i < WARM_UP; i++) await send(service, sent)
    figures.push(...(await measure(service, what, sent, 1)))
  }
  for (const what of ['a batch of 10 MB', '500 rows of 390 unknown members'])
    figures.push(...(await measure(service, what, BODIES[what]!, atOnce)))
  judge(figures)
})

/** So many at once. */
async function measure(
  service: FilledService,
  what: string,
  sent: Sent,
  count: number,
): Promise<readonly Judged[]> {
  await service.held()
  const before = residentOf(service.pid)
  let most = before
  const looking = setInterval(() => (most = Math.max(most, residentOf(service.pid))), LOOK_MS)
  const answers = await Promise.all(Array.from({ length: count }, () => send(service, sent)))
  clearInterval(looking)
  const { max } = await service.held()
  const statuses = [...new Set(answers.map(({ status }) => status))].join(', ')
  const named = `${what}${count > 1 ? `, ${count} at once` : ''}, ${(sent.body.length / MEGABYTE).toFixed(1)} MB (${statuses})`
  return [
    { what: `${named}: at a stretch`, value: max, unit: 'ms', most: GOAL.held },
    {
      what: `${named}: memory`,
      value: most - before,
      unit: 'MB',
      most: count > 1 ? GOAL.atOnce : GOAL.alone,
    },
    {
      what: `${named}: answer`,
      value: Math.max(...answers.map(({ size }) => size)) / MEGABYTE,
      unit: 'MB',
      most: GOAL.answer,
    },
  ]
}

async function send({ ask }: FilledService, { path, body }: Sent) {
  const response = await ask('POST', path, body)
  return { status: response.status, size: (await response.text()).length }
}

/** Memory of a process in MB, without pages of files: those the system takes back when it needs them. */
function residentOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
