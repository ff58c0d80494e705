/**
 * Appends by `BatchAppend`, one long call for all appends of a client.
 *
 * Why this call: an append is marked as final, so one that is cut short by a failing connection is never taken for a
 * smaller one. (`Append` sends event by event, and what a client leaves behind when it gives up looks complete.)
 */
import { randomUUID } from 'node:crypto'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { ClientDuplexStream } from '@grpc/grpc-js'
import { type AppendAnswer, appendAnswer, appendRequests, correlationOf } from './append-messages.ts'
import type { CheckedAppend } from './checks.ts'
import { TimedOut } from './outcomes.ts'

export type BatchAppendCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>

/** In ms. */
export interface Patience {
  readonly silence: number
  readonly limit: number
}

export interface AppendCall {
  /**
   * Rejects with TimedOut when the server has answered nothing at all for `silence` ms, or after `limit` ms; with an error
   * of gRPC when the call fails (the outcome is then not known); or with AppendRefused. A slow server works through what
   * it was sent: to send that again would only be more work.
   */
  send(append: CheckedAppend, patience: Patience): Promise<AppendAnswer>
  /** Ends the call when nothing is pending any more. */
  close(): void
}

interface Running {
  readonly call: BatchAppendCall
  readonly pending: Map<string, PromiseWithResolvers<BatchAppendResp>>
  /** When the server last answered anything; 0: never so far. */
  heard: number
}

export function appendCall({ open }: { readonly open: () => Promise<BatchAppendCall> }): AppendCall {
  let running: Promise<Running> | undefined
  let closed = false

  function run(): Promise<Running> {
    const opened = open().then((call) => {
      const pending: Running['pending'] = new Map()
      const fail = (error: Error) => {
        if (running === opened) running = undefined
        for (const { reject } of pending.values()) reject(error)
        pending.clear()
      }
      const started: Running = { call, pending, heard: 0 }
      call.on('data', (answer: BatchAppendResp) => {
        started.heard = performance.now()
        pending.get(correlationOf(answer))?.resolve(answer)
      })
      call.on('error', fail)
      call.on('end', () => fail(new Error('the server ended the call')))
      return started
    })
    opened.catch(() => {
      if (running === opened) running = undefined
    })
    return opened
  }

  function endWhenDone({ call, pending }: Running): void {
    if (closed && pending.size === 0) call.cancel()
  }

  return {
    send: async (append, { silence, limit }) => {
      const correlation = randomUUID()
      const late = Promise.withResolvers<never>()
      const began = performance.now()
      let on: Running | undefined
      const look = () => {
        const now = performance.now()
        const quiet = now - Math.max(began, on?.heard ?? 0)
        const left = Math.min(silence - quiet, limit - (now - began))
        if (left > 0) timer = setTimeout(look, left)
        else late.reject(new TimedOut(now - began, quiet < silence))
      }
      let timer = setTimeout(look, Math.min(silence, limit))
      try {
        // Opening may take its time, too: the client looks for the leader and connects.
        const { call, pending } = (on = await Promise.race([(running ??= run()), late.promise]))
        const answer = Promise.withResolvers<BatchAppendResp>()
        pending.set(correlation, answer)
        try {
          for (const request of appendRequests(append, correlation)) call.write(request)
          return appendAnswer(await Promise.race([answer.promise, late.promise]))
        } finally {
          pending.delete(correlation)
          endWhenDone(on)
        }
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => {
      closed = true
      running?.then(endWhenDone, () => {})
    },
  }
}
