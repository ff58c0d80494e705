/** How many files this process may have open at once: each client takes one, and the service some hundred of its own. */
import { readFileSync } from 'node:fs'

/** With fewer a service starts, and then refuses connections without a word. */
const LEAST = 256
const ENOUGH = 1_024

/**
 * Words for the log where clients may soon be too many; undefined where there is room, or the system does not say.
 * @throws Error where even a few clients are too many
 */
export function fewOpenFiles(limits = limitsText()): string | undefined {
  const text = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  const allowed = text === undefined ? Infinity : Number(text)
  if (allowed >= ENOUGH) return undefined
  const what = `this process may open only ${allowed} files at once, and each client takes one`
  const todo = `raise the limit to ${ENOUGH} or more (ulimit -n, LimitNOFILE= of systemd, --ulimit nofile= of Docker)`
  if (allowed < LEAST) throw new Error(`${what}: ${todo}`)
  return `${what}; ${todo}`
}

function limitsText(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
