/**
 * Calls between two threads, both ways: a name, arguments that can be cloned, and one answer. Errors that callers tell
 * apart arrive as what they were.
 */
import type { MessagePort, Transferable } from 'node:worker_threads'
import { Conflict, Invalid, NotFound, Unavailable, type Fault } from '../../domain/errors.ts'

/** One end of the line: a `Worker`, or the `parentPort` of one. */
export interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

export interface Calls {
  /** @throws what the other side threw; Unavailable when the line is cut before it answers */
  call<T>(name: string, ...values: readonly unknown[]): Promise<T>
  /** Calls and wants no answer, not even an error. */
  send(name: string, ...values: readonly unknown[]): void
  /** The same with the end of a channel, which is the other side's from then on. */
  give(name: string, end: MessagePort, ...values: readonly unknown[]): void
  /** The other side will not answer any more. */
  cut(): void
}

/** What the other side may call, by name. What a handler gives, or rejects with, is the answer. */
export type Handlers = Readonly<Record<string, (...values: never[]) => unknown>>

type Message =
  | {
      readonly kind: 'call'
      /** Absent: no answer is wanted. */
      readonly number?: number
      readonly name: string
      readonly values: readonly unknown[]
    }
  | { readonly kind: 'answer'; readonly number: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly number: number; readonly error: PackedError }

interface PackedError {
  readonly name: string
  readonly message: string
  readonly faults: readonly Fault[]
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

export function calls(port: Port, handlers: Handlers): Calls {
  const waiting = new Map<number, Waiting>()
  let next = 0
  let isCut = false

  const answer = async (number: number | undefined, name: string, values: readonly unknown[]) => {
    try {
      const handler = handlers[name] as ((...values: unknown[]) => unknown) | undefined
      if (!handler) throw new Error(`this thread knows no call ${name}`)
      const value = await handler(...values)
      if (number !== undefined) port.postMessage({ kind: 'answer', number, value } satisfies Message)
    } catch (error) {
      if (number !== undefined)
        port.postMessage({ kind: 'error', number, error: pack(error) } satisfies Message)
    }
  }

  port.on('message', (received) => {
    const message = received as Message
    if (message.kind === 'call') return void answer(message.number, message.name, message.values)
    const caller = waiting.get(message.number)
    waiting.delete(message.number)
    if (message.kind === 'answer') caller?.resolve(message.value as never)
    else caller?.reject(unpack(message.error))
  })

  return {
    call(name, ...values) {
      if (isCut) return Promise.reject(gone())
      const number = next++
      return new Promise((resolve, reject) => {
        waiting.set(number, { resolve, reject })
        port.postMessage({ kind: 'call', number, name, values } satisfies Message)
      })
    },
    send(name, ...values) {
      if (!isCut) port.postMessage({ kind: 'call', name, values } satisfies Message)
    },
    give(name, end, ...values) {
      if (!isCut) port.postMessage({ kind: 'call', name, values: [end, ...values] } satisfies Message, [end])
    },
    cut() {
      isCut = true
      for (const { reject } of waiting.values()) reject(gone())
      waiting.clear()
    },
  }
}

function gone(): Unavailable {
  return new Unavailable('the thread that was asked has ended')
}

const KINDS = { Unavailable, Invalid, NotFound, Conflict } as const

function pack(error: unknown): PackedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), faults: [] }
  const faults = 'faults' in error ? (error.faults as readonly Fault[]) : []
  return { name: error.name, message: error.message, faults }
}

function unpack({ name, message, faults }: PackedError): Error {
  const Kind = KINDS[name as keyof typeof KINDS]
  return Kind ? new Kind(message, faults) : new Error(message)
}
