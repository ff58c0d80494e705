/** What a backup says of itself: what it holds, as of when, and the hash of each file. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

export const MANIFEST = 'manifest.json'
export const KEYS = 'secrets.key'
export const COMPANY_KEYS = 'keys.db'

/** The folder of uploaded files and what was made from them (`src/adapters/folder/files.ts`). */
export const FILES = 'files'
const NAME = /^(?:[a-z][\w.-]*|files\/[a-z0-9-]+\/[0-9a-f]{64})$/

/** The layout of backups that this version writes, and the only one that it restores. */
const FORMAT = 1

export interface BackedUpFile {
  /** Its name in the backup, and in the folder of the service. */
  readonly Name: string
  readonly Bytes: number
  /** In hex. */
  readonly Sha256: string
}

export interface Manifest {
  readonly Format: typeof FORMAT
  /** ISO 8601, UTC. */
  readonly CreatedAt: string
  /** Identity of the log, where the store has one. */
  readonly Log?: string
  readonly Events: { readonly Count: number; readonly Head: number }
  readonly Keys: 'included' | 'missing'
  readonly CompanyKeys: 'included' | 'missing'
  readonly Outbox: 'included' | 'missing'
  /** How many uploaded files there are; absent in backups of before there were any. */
  readonly Uploads?: number
  readonly Versions: { readonly Daybook: string; readonly Node: string; readonly SQLite: string }
  readonly Files: readonly BackedUpFile[]
}

export async function describeFiles(folder: string, names: readonly string[]): Promise<BackedUpFile[]> {
  const files: BackedUpFile[] = []
  for (const Name of names) {
    const path = join(folder, Name)
    files.push({ Name, Bytes: statSync(path).size, Sha256: await sha256(path) })
  }
  return files
}

export function newManifest(of: Omit<Manifest, 'Format' | 'Versions'>): Manifest {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  ) as { version: string }
  const { node: Node, sqlite: SQLite = '' } = process.versions
  return { Format: FORMAT, ...of, Versions: { Daybook: version, Node, SQLite } }
}

/**
 * The manifest of a backup whose files are what it says.
 * @throws Error naming what is missing, changed or not understood
 */
export async function checkedManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) throw new Error(`${folder} has no ${MANIFEST}: it is not a whole backup`)
  const manifest = parsed(path)
  for (const { Name, Bytes, Sha256 } of manifest.Files) {
    const file = join(folder, Name)
    if (!existsSync(file)) throw new Error(`the backup is damaged: ${Name} is missing`)
    if (statSync(file).size !== Bytes || (await sha256(file)) !== Sha256)
      throw new Error(`the backup is damaged: ${Name} is not what ${MANIFEST} says`)
  }
  return manifest
}

function parsed(path: string): Manifest {
  let manifest: Manifest
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (error) {
    throw new Error(`the backup is damaged: ${MANIFEST} cannot be read`, { cause: error })
  }
  const { Format } = manifest
  const Files: unknown = manifest.Files
  if (Format !== FORMAT) throw new Error(`the backup has format ${String(Format)}; this version restores 1`)
  // A name is a name: nothing is written outside of the folder that is restored to.
  if (!Array.isArray(Files) || !Files.every((file: BackedUpFile) => NAME.test(file.Name)))
    throw new Error(`the backup is damaged: ${MANIFEST} names files that no backup has`)
  return manifest
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
