/**
 * What the process's memory is: what it has taken for itself, and pages of files that the system takes back whenever it needs
 * them. Databases are mapped into memory, so the second can be gigabytes of a store that is read much, and mean nothing.
 */
import { readFileSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'

const KINDS = { anonymous: 'RssAnon', file: 'RssFile', shared: 'RssShmem' } as const

type Kind = keyof typeof KINDS

/** In bytes, by kind; undefined where the system does not say. @param status as Linux has it in /proc/self/status */
export function memoryIn(status: string): Readonly<Record<Kind, number>> | undefined {
  const bytes = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024
  }
  const [anonymous, file, shared] = [bytes(KINDS.anonymous), bytes(KINDS.file), bytes(KINDS.shared)]
  if (anonymous === undefined || file === undefined || shared === undefined) return undefined
  return { anonymous, file, shared }
}

export function measureMemory(registry: Registry): void {
  new Gauge({
    name: 'daybook_memory_bytes',
    help: 'Resident memory: anonymous is what the process has taken, file are pages of files, which the system can take back.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const memory = memoryIn(statusOfProcess())
      if (memory) for (const [kind, bytes] of Object.entries(memory)) this.set({ kind }, bytes)
    },
  })
}

function statusOfProcess(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8')
  } catch {
    return '' // not on this system
  }
}
