/** What is left of promises after a fault, when the service is simply started again. */
import { checkStore, divergence } from './check-store.ts'
import type { Ledger } from './ledger.ts'
import { retryOpen, type LoadOptions } from './load.ts'
import { startService } from './service-process.ts'

export interface AfterRestart extends Pick<LoadOptions, 'known'> {
  readonly dataDir: string
  readonly ledger: Ledger
}

/** Starts it, sends again what has no answer, compares everything, stops it. Empty when every promise was kept. */
export async function faultsAfterRestart({
  dataDir,
  ledger,
  known,
}: AfterRestart): Promise<readonly string[]> {
  const service = await startService({ dataDir })
  await retryOpen({ service, ledger, known })
  const { faults } = await checkStore({ service, dataDir, entries: ledger.entries })
  await service.end('SIGTERM')
  return [...faults, ...(await divergence(dataDir))]
}
