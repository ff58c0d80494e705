/** The memory of a process, as Linux tells it. Elsewhere it is not known. */
import { readFileSync } from 'node:fs'

export interface Memory {
  /** Resident set, now and at its highest, in MB. */
  readonly rss: number
  readonly peak: number
  /** Of the resident set now: what is not of files, which the system could take back. */
  readonly anonymous: number
}

export function memoryOf(pid: number): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const megabytes = (name: string) =>
      Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) / 1_024)
    return { rss: megabytes('VmRSS'), peak: megabytes('VmHWM'), anonymous: megabytes('RssAnon') }
  } catch {
    return undefined
  }
}

/** Runs `work` and tells the highest resident set that was seen meanwhile, looking five times a second. */
export async function watchingMemory<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ result: T; rss: number | undefined }> {
  let rss: number | undefined
  const look = () => {
    const now = memoryOf(pid)?.rss
    if (now !== undefined) rss = Math.max(rss ?? 0, now)
  }
  const timer = setInterval(look, 200)
  try {
    const result = await work()
    look()
    return { result, rss }
  } finally {
    clearInterval(timer)
  }
}
