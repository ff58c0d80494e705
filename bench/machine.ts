/** What the figures were measured on: cores, memory, disk, versions. No names of hosts or people. */
import {
  closeSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { basename, dirname, join } from 'node:path'

export interface Machine {
  /** One fact a line. */
  readonly facts: readonly string[]
  /** What makes the figures doubtful. */
  readonly warnings: readonly string[]
}

const FILESYSTEMS: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'XFS'],
  [0x9123683e, 'Btrfs'],
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'overlayfs'],
  [0x2fc12fc1, 'ZFS'],
  [0x6969, 'NFS'],
  [0x65735546, 'FUSE'],
  [0x1a, 'APFS'],
])
const IN_MEMORY = 'tmpfs'
/** Programs that wait for a core; more than this before the run means that others are at work. */
const QUIET = 0.5

export function describeMachine(folder: string): Machine {
  const kind = statfsSync(folder).type
  const filesystem = FILESYSTEMS.get(kind) ?? `a filesystem of type 0x${kind.toString(16)}`
  const load = loadavg()[0] ?? 0
  const sync = syncTime(folder)
  return {
    facts: [
      `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown processor'}`,
      `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
      `${filesystem}${deviceOf(folder)}; writing 4 KiB and waiting for the disk takes ${sync.toFixed(2)} ms (median)`,
      `${type()} ${release()} ${arch()}, Node ${process.version}, SQLite ${process.versions['sqlite'] ?? '?'}`,
      `load average before the run ${load.toFixed(2)}`,
    ],
    warnings: [
      ...(filesystem === IN_MEMORY
        ? ['the stores are in memory: figures of writes mean nothing (see --dir)']
        : []),
      ...(load > QUIET ? ['other programs are using the machine: figures are lower than they could be'] : []),
    ],
  }
}

/** Linux knows whether a disk turns; a virtual one is what the hypervisor says. */
function deviceOf(folder: string): string {
  try {
    const { dev } = statSync(folder)
    const major = ((dev >>> 8) & 0xfff).toString()
    const minor = ((dev & 0xff) | ((dev >>> 12) & 0xfff00)).toString()
    let device = realpathSync(`/sys/dev/block/${major}:${minor}`)
    if (statSync(join(device, 'partition'), { throwIfNoEntry: false })) device = dirname(device)
    const turns = readFileSync(join(device, 'queue', 'rotational'), 'utf8').trim() === '1'
    return ` on ${basename(device)}, which the system takes for ${turns ? 'a rotating disk' : 'no rotating disk'}`
  } catch {
    return ''
  }
}

/** Median of a few, in ms. */
function syncTime(folder: string): number {
  const path = join(folder, `bench-sync-${process.pid}`)
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4_096, 1)
  try {
    const times = Array.from({ length: 101 }, () => {
      const start = performance.now()
      writeSync(file, block)
      fdatasyncSync(file)
      return performance.now() - start
    })
    return times.sort((a, b) => a - b)[50]!
  } finally {
    closeSync(file)
    rmSync(path)
  }
}
