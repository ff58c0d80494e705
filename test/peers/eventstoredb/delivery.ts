/** What the calls share: what they are made with, and writing to a client no faster than it takes. */
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { Metadata, ServerWritableStream } from '@grpc/grpc-js'
import type { EventLog } from './event-log.ts'
import type { FaultSwitches } from './faults.ts'

export interface ReadSources {
  readonly log: EventLog
  readonly switches: FaultSwitches
  /** Send a checkpoint on catching up, as servers from 24.10 on do; it names the place of the event to come. */
  readonly checkpointOnCatchUp: boolean
}

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>

export interface Reading {
  readonly call: ReadCall
  readonly options: ReadReq.Options
  readonly gone: AbortSignal
}

/** Whether the caller will be served by nobody but the leader. */
export const needsLeader = (metadata: Metadata): boolean => metadata.get('requires-leader').includes('true')

/** Writes, and waits while the client does not take it. */
export async function write(call: ReadCall, gone: AbortSignal, message: ReadResp): Promise<void> {
  if (gone.aborted || call.write(message)) return
  await new Promise<void>((resolve) => {
    const go = () => {
      call.off('drain', go)
      gone.removeEventListener('abort', go)
      resolve()
    }
    call.on('drain', go)
    gone.addEventListener('abort', go)
  })
}
