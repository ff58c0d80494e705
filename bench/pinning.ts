/**
 * Keeps the load generator on one core, where the system has `taskset`.
 *
 * Only the generator: the service has a thread that answers and one that writes, and pinned to a core of its own it
 * would have them take turns. What the generator leaves of its core, the service may use, as it may in real life.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The last core, or undefined when there is only one or nothing to pin with. */
export function coreForLoad(): number | undefined {
  const cores = availableParallelism()
  if (cores < 2 || spawnSync('taskset', ['--version']).status !== 0) return undefined
  return cores - 1
}

/** The command line that runs `command` on that core. */
export function pinned(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : ['taskset', '--cpu-list', String(core), ...command]
}
