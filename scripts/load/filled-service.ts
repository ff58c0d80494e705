/**
 * What every script here begins with: a service of its own as it is shipped, on a store of its own that is removed
 * afterwards, filled with the leasing company of the benchmark.
 *
 * Figures depend on the machine and on what else it does; a script ends with code 1 when a goal is missed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askerOf, type Ask } from '../../bench/ask.ts'
import { fill, type Dataset } from '../../bench/dataset.ts'
import { startDaybook } from '../../bench/servers.ts'
import type { Held } from './tick-monitor.ts'

const MONITOR = join(import.meta.dirname, 'tick-monitor.ts')

export interface FilledService {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Its folder, which no other process may open meanwhile. */
  readonly dataDir: string
  readonly dataset: Dataset
  /** How long its main thread computed at a stretch since the last question. */
  held(): Promise<Held>
  readonly ask: Ask
}

/**
 * Starts a service with so many contracts, runs `work`, ends it and removes its store. It was restarted after it had been
 * filled: its memory is not that of the fill. `settings`: beside those of every run.
 */
export async function withFilledService(
  contracts: number,
  work: (service: FilledService) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-load-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const filling = await startDaybook({ dataDir, settings })
  const dataset = await fill(`http://127.0.0.1:${filling.port}`, contracts, () => {})
  await filling.stop()
  const server = await startDaybook({ dataDir, preload: MONITOR, settings })
  const { port, pid } = server
  const url = `http://127.0.0.1:${port}`
  await work({
    url,
    port,
    pid,
    dataDir,
    dataset,
    ask: askerOf(url),
    held: async () => (await server.ask({})) as Held,
  })
  await server.stop()
}
