/**
 * A real filesystem of its own in a file: its power can be cut, and it can be filled to the last block.
 *
 * Cutting the power is what filesystem developers test with: the filesystem is shut down without writing its log, and
 * everything that was not yet on the device is gone. The device itself keeps what it was given: a drive that lies about
 * its own cache is not shown here.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type FilesystemType = 'ext4' | 'xfs'

export interface LoopFilesystem {
  /** Where it is mounted. */
  readonly folder: string
  /** From now on every write to it fails, and what was not on the device is lost. */
  cutPower(): void
  /** The power is back: mounts it again, which repairs it by its log. Nothing may have files of it open. */
  remount(): void
  /** Unmounts and removes it. */
  close(): void
}

/** XFS refuses to be smaller than 300 MB. The file is sparse. */
const SMALLEST_MEGABYTES = { ext4: 16, xfs: 320 } as const

const mountedNow = new Set<string>()
// Lazily, as a process that was just killed may still have files open.
process.on('exit', () => mountedNow.forEach((folder) => spawnSync('umount', ['--lazy', folder])))

/**
 * Makes and mounts one.
 * @throws Error saying what this machine lacks
 */
export function openLoopFilesystem(type: FilesystemType, megabytes: number): LoopFilesystem {
  const base = mkdtempSync(join(tmpdir(), 'daybook-loop-'))
  const image = join(base, 'image')
  const folder = join(base, 'mounted')
  const mount = () => {
    run('mount', ['-o', 'loop', '-t', type, image, folder])
    mountedNow.add(folder)
  }
  const unmount = () => {
    if (mountedNow.has(folder)) run('umount', [folder])
    mountedNow.delete(folder)
  }
  const close = () => {
    unmount()
    rmSync(base, { recursive: true, force: true })
  }
  try {
    mkdirSync(folder)
    writeFileSync(image, '')
    truncateSync(image, megabytes * 2 ** 20)
    // No blocks kept back for root, who may use them and would so find room on a full disk.
    run(`mkfs.${type}`, type === 'ext4' ? ['-q', '-F', '-m', '0', image] : ['-q', image])
    mount()
  } catch (error) {
    close()
    throw error
  }
  return {
    folder,
    cutPower: () => shutDown(folder),
    remount() {
      unmount()
      mount()
    },
    close,
  }
}

/** Why no such filesystem can be had here; undefined when it can. */
export function whyNoLoopFilesystem(type: FilesystemType): string | undefined {
  try {
    const filesystem = openLoopFilesystem(type, SMALLEST_MEGABYTES[type])
    try {
      filesystem.cutPower()
    } finally {
      filesystem.close()
    }
    return undefined
  } catch (error) {
    return `it needs root, a loop device and ${type} (${(error as Error).message.trim()})`
  }
}

/** EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN are the same number; 2: the log is not flushed. Node has no ioctl. */
const SHUTDOWNS: readonly (readonly [program: string, args: (folder: string) => string[]])[] = [
  [
    'perl',
    (folder) => [
      '-e',
      'open(F,"<",$ARGV[0])||die $!;my $f=pack("L",2);ioctl(F,0x8004587d,$f)||die $!',
      folder,
    ],
  ],
  [
    'python3',
    (folder) => [
      '-c',
      'import fcntl,os,struct,sys;fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587d,struct.pack("I",2))',
      folder,
    ],
  ],
]

function shutDown(folder: string): void {
  const found = SHUTDOWNS.find(([program]) => spawnSync(program, ['--version']).status === 0)
  if (!found) throw new Error('neither perl nor python3 is here to shut the filesystem down')
  run(found[0], found[1](folder))
}

function run(program: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (error) throw new Error(`${program} is not here`, { cause: error })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}
