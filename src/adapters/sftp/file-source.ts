/** Files that others put into a folder of an SFTP server. What the server says of names is not believed: a name is never a path. */
import type { FileSource, SourceFile } from '../../ports/sources/file-source.ts'
import { Unavailable } from '../../domain/errors.ts'
import { connectSftp, type SftpServer } from './connect.ts'
import { sftpRequests, type SftpRequests } from './requests.ts'

/** More names in a folder are not looked at. */
const MOST_FILES = 100_000

/**
 * @param folder on the server; '' is where its user begins
 * @throws HostKeyRefused; Unavailable when it cannot be looked at now
 */
export async function sftpSource(server: SftpServer, folder: string): Promise<FileSource> {
  const connection = await connectSftp(server)
  const top = folder === '' ? '.' : folder.replace(/(?<=.)\/+$/, '')
  return { ...filesIn(sftpRequests(connection), top), close: connection.close }
}

function filesIn(requests: SftpRequests, folder: string): Omit<FileSource, 'close'> {
  /** @throws Error for a name that is a path */
  const placeOf = (name: string): string => {
    if (!isName(name)) throw new Error('the name of a file is a path')
    return folder === '/' ? `/${name}` : `${folder}/${name}`
  }
  return {
    async stat(name) {
      const found = await requests.stat(placeOf(name))
      return found?.isFile() ? fileOf(name, found) : undefined
    },
    async list() {
      try {
        const files: SourceFile[] = []
        for await (const some of requests.entries(folder)) {
          for (const { filename, attrs } of some)
            if (isName(filename) && attrs.isFile()) files.push(fileOf(filename, attrs))
          if (files.length > MOST_FILES)
            throw new Unavailable(
              `the folder has more than ${MOST_FILES} files: move those away that are done`,
            )
        }
        return files
      } catch (error) {
        if (error instanceof Unavailable) throw error
        throw new Unavailable(`the folder cannot be read: ${(error as Error).message}`)
      }
    },
    async *open(name) {
      yield* requests.bytes(placeOf(name))
    },
    async move(name, below, as) {
      const [from, target] = [placeOf(name), placeOf(below)]
      if (!isName(as)) throw new Error('the name of a file is a path')
      const there = await requests.stat(target)
      if (!there) await requests.makeFolder(target)
      else if (!there.isDirectory()) throw new Error(`${below} is not a folder`)
      const to = `${target}/${as}`
      // Some servers replace what is there.
      if (await requests.stat(to)) throw new Error(`there is a file ${as} already`)
      await requests.rename(from, to)
    },
  }
}

const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name)

/** The protocol knows no identity of files, and times in seconds. */
const fileOf = (
  name: string,
  { size, mtime }: { readonly size: number; readonly mtime: number },
): SourceFile => ({ name, bytes: size, modified: mtime * 1000, identity: '' })
