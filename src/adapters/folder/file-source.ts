/** Files that others put into a folder of this machine, or of one whose folder is mounted here. Links are not followed. */
import { createReadStream } from 'node:fs'
import { constants, link, lstat, mkdir, open, readdir, realpath, unlink } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { Unavailable } from '../../domain/errors.ts'
import type { FileSource, SourceFile } from '../../ports/sources/file-source.ts'

/**
 * @param root nothing outside of it is read
 * @param path below the root
 * @throws Unavailable when it is not there now, or lies outside
 */
export async function folderSource(root: string, path: string): Promise<FileSource> {
  const folder = await inside(root, join(root, path))

  /** @throws Error for a name that is a path */
  const placeOf = (name: string): string => {
    if (name === '' || name === '.' || name === '..' || basename(name) !== name || name.includes('\0'))
      throw new Error('the name of a file is a path')
    return join(folder, name)
  }
  const stat = async (name: string): Promise<SourceFile | undefined> => {
    try {
      const found = await lstat(placeOf(name), { bigint: true })
      if (!found.isFile()) return undefined
      const identity = `${found.dev}/${found.ino}`
      return { name, bytes: Number(found.size), modified: Number(found.mtimeNs), identity }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
  return {
    stat,
    async list() {
      try {
        const names = await readdir(folder)
        const files = await Promise.all(names.map(stat))
        return files.filter((file) => file !== undefined)
      } catch (error) {
        throw new Unavailable(`the folder cannot be read: ${(error as Error).message}`)
      }
    },
    async *open(name) {
      const file = await open(placeOf(name), constants.O_RDONLY | constants.O_NOFOLLOW)
      yield* createReadStream('', { fd: file }) as AsyncIterable<Uint8Array>
    },
    async move(name, below, as) {
      const from = placeOf(name)
      placeOf(below)
      const target = join(folder, below)
      await mkdir(target, { recursive: true })
      const to = join(await inside(folder, target), basename(as))
      // A link fails where the name is taken; a rename would replace what is there.
      await link(from, to)
      await unlink(from)
    },
    close: async () => {},
  }
}

/** The real path. @throws Unavailable when it is not there, or not inside the root */
async function inside(root: string, path: string): Promise<string> {
  const [top, real] = await Promise.all([realpath(root), realpath(path)]).catch((error: unknown) => {
    throw new Unavailable(`the folder is not there: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`)
  })
  if (real !== top && !real.startsWith(top + sep)) throw new Unavailable('the path leads out of its folder')
  return real
}
