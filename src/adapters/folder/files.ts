/**
 * Files in a folder: `<company>/<sha256>`. Bytes are written beside their place, brought to the disk and then renamed, so that
 * a file that is there is whole, also after a power cut.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { TooLarge, Unavailable } from '../../domain/errors.ts'
import type { Files } from '../../ports/files.ts'

/** What was begun and not finished; emptied at each start. */
const BEGUN = '.begun'
const COMPANY = /^[a-z0-9-]{1,100}$/
const SHA256 = /^[0-9a-f]{64}$/
const PIECE = 256 * 1024

/** @param folder of this process alone; made when the first file comes */
export function folderFiles(folder: string): Files {
  const begun = join(folder, BEGUN)
  if (existsSync(begun)) rmSync(begun, { recursive: true })

  const placeOf = (company: string, sha256: string): string | undefined =>
    COMPANY.test(company) && SHA256.test(sha256) ? join(folder, company, sha256) : undefined

  const write = async (path: string, bytes: AsyncIterable<Uint8Array>, most: number) => {
    const hash = createHash('sha256')
    let size = 0
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const piece of bytes) {
        size += piece.length
        if (size > most) throw new TooLarge(`the file is larger than ${most} bytes`)
        hash.update(piece)
        await file.writeFile(piece)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    return { sha256: hash.digest('hex'), bytes: size }
  }

  return {
    async put(company, bytes, most) {
      if (!COMPANY.test(company)) throw new Error(`${company} is not the Key of a company`)
      const path = join(begun, randomUUID())
      try {
        mkdirSync(begun, { recursive: true, mode: 0o700 })
        const kept = await write(path, bytes, most)
        const place = join(folder, company, kept.sha256)
        await mkdir(dirname(place), { recursive: true, mode: 0o700 })
        await rename(path, place)
        for (const changed of [dirname(place), folder, dirname(folder)]) await toDisk(changed)
        return kept
      } catch (error) {
        await rm(path, { force: true })
        throw asUnavailable(error)
      }
    },
    async open(company, sha256, { start, end = Infinity } = { start: 0 }) {
      const place = placeOf(company, sha256)
      const found = place && (await stat(place).catch(() => undefined))
      return place && found ? piecesOf(place, start, Math.min(end, found.size)) : undefined
    },
    async remove(company, sha256) {
      const place = placeOf(company, sha256)
      if (place) await rm(place, { force: true })
    },
    close: async () => {},
  }
}

async function* piecesOf(path: string, start: number, end: number) {
  const file = await open(path)
  try {
    for (let at = start; at < end;) {
      const piece = new Uint8Array(Math.min(PIECE, end - at))
      const { bytesRead } = await file.read(piece, 0, piece.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function toDisk(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}

/** A full disk passes. */
function asUnavailable(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const passes = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EIO'
  return passes ? new Unavailable(`the file cannot be kept now: ${message}`) : error
}
