/**
 * The way to a running service for those who have its machine: a socket in the data folder that only the owner of the folder
 * may open, who could read everything there anyway. One line of JSON is asked, one is answered.
 */
import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { Conflict, NotFound } from '../../domain/errors.ts'
import { ADMIN_COMMANDS, type AdminAnswer, type AdminRequest } from '../../identity/let-in.ts'

export type LetIn = (request: AdminRequest) => Promise<AdminAnswer>

interface Answered {
  readonly done?: AdminAnswer
  readonly refused?: string
}

/** What the system takes as the path of a socket; a folder with a longer one has none. */
const LONGEST_PATH = 100
const LONGEST_LINE = 10_000
const SILENCE_MS = 30_000

function pathIn(folder: string): string | undefined {
  const path = join(folder, 'admin.sock')
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : undefined
}

/** Listens until the returned function is called. Only for the one process that has the folder. */
export async function listenForAdmin(folder: string, letIn: LetIn): Promise<() => Promise<void>> {
  const path = pathIn(folder)
  if (path === undefined) return async () => {}
  rmSync(path, { force: true }) // of a process that died
  const server = createServer((socket) => {
    let heard = ''
    socket.setTimeout(SILENCE_MS, () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      heard += chunk.toString()
      if (heard.length > LONGEST_LINE) socket.destroy()
      else if (heard.includes('\n')) void answer(heard, letIn).then((text) => socket.end(`${text}\n`))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return () => new Promise((resolve) => server.close(() => resolve()))
}

async function answer(heard: string, letIn: LetIn): Promise<string> {
  let answered: Answered
  try {
    const { command, email, company } = JSON.parse(heard) as Partial<Record<keyof AdminRequest, unknown>>
    if (typeof email !== 'string') throw new NotFound('no address was given')
    const asked = ADMIN_COMMANDS.find((one) => one === command)
    if (asked === undefined) throw new NotFound('no such command')
    answered = {
      done: await letIn({ command: asked, email, ...(typeof company === 'string' && { company }) }),
    }
  } catch (error) {
    const isSaid = error instanceof NotFound || error instanceof Conflict
    answered = { refused: isSaid ? error.message : 'the service cannot do this now' }
  }
  return JSON.stringify(answered)
}

/**
 * Asks the service that runs on this folder; undefined when none does.
 * @throws Error with the service's words when it refuses
 */
export async function askAdmin(folder: string, request: AdminRequest): Promise<AdminAnswer | undefined> {
  const path = pathIn(folder)
  if (path === undefined) return undefined
  const text = await new Promise<string | undefined>((resolve, reject) => {
    let heard = ''
    const socket = connect(path, () => socket.write(`${JSON.stringify(request)}\n`))
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the service does not answer')))
    socket.on('data', (chunk) => (heard += chunk.toString()))
    socket.on('end', () => resolve(heard))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    )
  })
  if (text === undefined) return undefined
  const { done, refused } = JSON.parse(text) as Answered
  if (!done) throw new Error(refused ?? 'the service cannot do this now')
  return done
}
