/**
 * `Streams/Read`: a stream both ways, everything backwards, and (in `subscribe-call.ts`) the filtered subscription: what
 * the adapter asks for, and nothing else.
 */
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { handleServerStreamingCall } from '@grpc/grpc-js'
import { needsLeader, type ReadCall, type Reading, type ReadSources, write } from './delivery.ts'
import type { LoggedEvent } from './event-log.ts'
import { grpc, streams } from './generated.ts'
import { accessDenied, eventAnswer, failure, notLeader, streamName, streamNotFound } from './messages.ts'
import { subscribe } from './subscribe-call.ts'

const PAGE = 32
/** Why a call is over: one for all, for to make an error of it each time takes longer than the answer. */
const GONE = new Error('the caller has gone')

export function readCall(sources: ReadSources): handleServerStreamingCall<ReadReq, ReadResp> {
  return (call) => {
    void answer(sources, call).then(
      () => call.end(),
      // Not `destroy`: that ends the call without its status.
      (error: Error) => call.emit('error', error),
    )
  }
}

async function answer(sources: ReadSources, call: ReadCall): Promise<void> {
  const gone = new AbortController()
  for (const event of ['cancelled', 'close', 'error']) call.on(event, () => gone.abort(GONE))
  await sources.switches.answering()
  if (sources.switches.deniesAccess()) throw accessDenied()
  const leader = sources.switches.leader()
  if (leader !== undefined && needsLeader(call.metadata)) throw notLeader(leader)
  if (sources.switches.isLost() && needsLeader(call.metadata))
    throw failure(grpc.status.UNAVAILABLE, 'Server Is Not Ready')
  const options = call.request.getOptions()
  if (sources.switches.deniesAll() && options?.hasAll()) throw accessDenied()
  const backwards = options?.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS
  if (options?.hasSubscription() && options.hasAll() && options.hasFilter()) {
    await subscribe(sources, { call, options, gone: gone.signal })
  } else if (options?.hasStream() && !backwards) {
    await readStream(sources, { call, options, gone: gone.signal })
  } else if (options?.hasStream() && options.getStream()?.hasEnd()) {
    await readStreamBackwards(sources, { call, options, gone: gone.signal })
  } else if (options?.hasAll() && backwards && options.getAll()?.hasEnd()) {
    await readAllBackwards(sources, { call, options, gone: gone.signal })
  } else {
    throw failure(grpc.status.UNIMPLEMENTED, 'this peer does not read in that way')
  }
}

async function readStream({ log, switches }: ReadSources, { call, options, gone }: Reading): Promise<void> {
  const wanted = options.getStream()
  const stream = streamName(wanted?.getStreamIdentifier())
  if (log.revisionOf(stream) < 0) {
    call.write(streamNotFound(stream))
    return
  }
  let from = wanted?.hasStart() ? 0 : Number(wanted?.getRevision())
  await pages({ call, gone, sending: switches.sending, count: Number(options.getCount()) }, (limit) => {
    const page = log.ofStream(stream, from, limit)
    from = (page.at(-1)?.revision ?? from) + 1
    return page
  })
}

async function readStreamBackwards(
  { log, switches }: ReadSources,
  { call, options, gone }: Reading,
): Promise<void> {
  const stream = streamName(options.getStream()?.getStreamIdentifier())
  let before = log.revisionOf(stream) + 1
  if (before === 0) {
    call.write(streamNotFound(stream))
    return
  }
  await pages({ call, gone, sending: switches.sending, count: Number(options.getCount()) }, (limit) => {
    const from = Math.max(0, before - limit)
    const page = log.ofStream(stream, from, before - from).reverse()
    before = from
    return page
  })
}

async function readAllBackwards(
  { log, switches }: ReadSources,
  { call, options, gone }: Reading,
): Promise<void> {
  let before = Number.MAX_SAFE_INTEGER
  await pages({ call, gone, sending: switches.sending, count: Number(options.getCount()) }, (limit) => {
    const page = log.before(before, limit)
    before = page.at(-1)?.position ?? before
    return page
  })
}

async function pages(
  {
    call,
    gone,
    sending,
    count,
  }: {
    readonly call: ReadCall
    readonly gone: AbortSignal
    readonly sending: () => void
    readonly count: number
  },
  next: (limit: number) => LoggedEvent[],
): Promise<void> {
  for (let left = count; left > 0 && !gone.aborted;) {
    const limit = Math.min(PAGE, left)
    const page = next(limit)
    for (const event of page) {
      sending()
      await write(call, gone, eventAnswer(event))
    }
    if (page.length < limit) return
    left -= page.length
  }
}
