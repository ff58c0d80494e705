/**
 * `Streams/BatchAppend`: many appends in one call, each made of one or more messages and answered by its id when it is
 * done. What was not marked as final is never written.
 *
 * Only exact revisions and `no_stream` are taken, for only these does the adapter send.
 */
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { handleBidiStreamingCall } from '@grpc/grpc-js'
import { needsLeader } from './delivery.ts'
import type { AppendOutcome, EventLog, ProposedAppend, ProposedEvent } from './event-log.ts'
import type { FaultSwitches } from './faults.ts'
import {
  type AppendRefusal,
  appended,
  named,
  notLeader,
  refused,
  stopping,
  streamName,
  wrongVersion,
} from './messages.ts'

const MOST_BYTES = 1_048_576
const UUID_FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const EMPTY_UUID = '00000000-0000-0000-0000-000000000000'

export function batchAppendCall({
  log,
  switches,
}: {
  readonly log: EventLog
  readonly switches: FaultSwitches
}): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> {
  return (call) => {
    const incomplete = new Map<string, BatchAppendReq[]>()
    let under = 0
    let ended = false
    call.on('error', () => {})
    call.on('data', (request: BatchAppendReq) => {
      switches.receiving()
      const correlation = request.getCorrelationId()?.getString() ?? ''
      const requests = [...(incomplete.get(correlation) ?? []), request]
      if (!request.getIsFinal()) {
        incomplete.set(correlation, requests)
        return
      }
      incomplete.delete(correlation)
      const leader = switches.leader()
      if (leader !== undefined && needsLeader(call.metadata)) {
        call.emit('error', notLeader(leader))
        return
      }
      under += 1
      respond(requests).then(
        (answer) => {
          under -= 1
          if (answer) call.write(answer.setCorrelationId(request.getCorrelationId()))
          if (ended && under === 0) call.end()
        },
        // The log was closed before it came to this append.
        () => call.emit('error', stopping()),
      )
    })
    call.on('end', () => {
      ended = true
      if (under === 0) call.end()
    })
  }

  async function respond(requests: readonly BatchAppendReq[]): Promise<BatchAppendResp | undefined> {
    switches.appending()
    await switches.answering()
    await switches.turn()
    const options = requests[0]?.getOptions()
    const stream = streamName(options?.getStreamIdentifier())
    const append = proposed(requests, stream)
    if (switches.deniesAccess()) return refused('AccessDenied', stream)
    // Of an error that says nothing, the details are of the type Empty.
    if (switches.isLost()) return named('google.protobuf.Empty', stream)
    const refusal = switches.refusal()
    if (refusal !== undefined) return named(`event_store.client.${refusal}`, stream)
    if (typeof append === 'string') return refused(append, stream)
    const outcome = asAsked(await log.append(append))
    await switches.answering()
    if (switches.losesAnswer()) {
      switches.breakConnections()
      return undefined
    }
    return outcome.stored ? appended(outcome, stream) : wrongVersion(outcome, append)
  }

  function asAsked(outcome: AppendOutcome): AppendOutcome {
    if (!outcome.stored || !outcome.repeated || switches.repeats() === 'recognised') return outcome
    if (switches.repeats() === 'without position') return { ...outcome, position: undefined }
    return { stored: false, revision: outcome.current }
  }
}

/** The append, or why the server would refuse it. */
function proposed(requests: readonly BatchAppendReq[], stream: string): ProposedAppend | AppendRefusal {
  const options = requests[0]?.getOptions()
  const exact = options?.hasNoStream() || options?.hasStreamPosition()
  const messages = requests.flatMap((request) => request.getProposedMessagesList())
  const events = messages.map((message): ProposedEvent | undefined => {
    const id = idOf(message.getId())
    const type = message.getMetadataMap().get('type')
    const contentType = message.getMetadataMap().get('content-type')
    if (!id || !type || !contentType) return undefined
    return { id, type, contentType, data: message.getData_asU8(), metadata: message.getCustomMetadata_asU8() }
  })
  if (!options || !exact || stream === '' || !events.every((event) => event !== undefined))
    return 'BadRequest'
  const bytes = events.reduce((sum, { data }) => sum + data.length, 0)
  if (bytes > MOST_BYTES) return 'MaximumAppendSizeExceeded'
  return { stream, expected: options.hasNoStream() ? -1 : Number(options.getStreamPosition()), events }
}

/** In lower case, as the server gives it back; undefined when it is malformed. */
function idOf(uuid: UUID | undefined): string | undefined {
  const id = uuid?.getString() ?? ''
  return UUID_FORM.test(id) && id !== EMPTY_UUID ? id.toLowerCase() : undefined
}
