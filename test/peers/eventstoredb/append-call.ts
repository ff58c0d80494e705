/**
 * `Streams/Append`: one append. What the real server answers without an explanation is `unknown` here too.
 *
 * Only exact revisions and `no_stream` are taken, for only these does the adapter send.
 */
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { handleClientStreamingCall, ServiceError } from '@grpc/grpc-js'
import type { AppendOutcome, EventLog, ProposedAppend, ProposedEvent } from './event-log.ts'
import type { FaultSwitches } from './faults.ts'
import { grpc } from './generated.ts'
import { appendAnswer, failure, streamName } from './messages.ts'

const MOST_BYTES = 1_048_576
const UUID_FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const EMPTY_UUID = '00000000-0000-0000-0000-000000000000'

export function appendCall({
  log,
  switches,
}: {
  readonly log: EventLog
  readonly switches: FaultSwitches
}): handleClientStreamingCall<AppendReq, AppendResp> {
  return (call, answer) => {
    const requests: AppendReq[] = []
    call.on('data', (request: AppendReq) => {
      switches.receiving()
      requests.push(request)
    })
    call.on('end', () => {
      // A connection that breaks ends the request too; what came of it until then is no append.
      setImmediate(() => {
        if (!call.cancelled) void respond().catch((error: unknown) => answer(asFailure(error)))
      })
    })

    async function respond(): Promise<void> {
      switches.appending()
      await switches.answering()
      const append = proposed(requests)
      const outcome = asAsked(await log.append(append))
      await switches.answering()
      if (switches.losesAnswer()) switches.breakConnections()
      else answer(null, appendAnswer(outcome, append.expected))
    }
  }

  function asAsked(outcome: AppendOutcome): AppendOutcome {
    if (!outcome.stored || !outcome.repeated || switches.repeats() === 'recognised') return outcome
    if (switches.repeats() === 'without position') return { ...outcome, position: undefined }
    return { stored: false, revision: outcome.current }
  }
}

/** @throws ServiceError as the server answers what is malformed or too large */
function proposed([first, ...rest]: readonly AppendReq[]): ProposedAppend {
  const options = first?.getOptions()
  if (!options) throw unexplained()
  if (!options.hasNoStream() && !options.hasRevision()) {
    throw failure(grpc.status.UNIMPLEMENTED, 'this peer takes exact revisions and no_stream only')
  }
  const stream = streamName(options.getStreamIdentifier())
  if (stream === '') throw unexplained()
  let bytes = 0
  const events = rest.map((request) => {
    const event = proposedEvent(request)
    bytes += event.data.length
    if (bytes > MOST_BYTES) throw tooLarge()
    return event
  })
  return { stream, expected: options.hasNoStream() ? -1 : Number(options.getRevision()), events }
}

function proposedEvent(request: AppendReq): ProposedEvent {
  const message = request.getProposedMessage()
  const id = idOf(message?.getId())
  const type = message?.getMetadataMap().get('type')
  const contentType = message?.getMetadataMap().get('content-type')
  if (!message || !id || !type || !contentType) throw unexplained()
  return { id, type, contentType, data: message.getData_asU8(), metadata: message.getCustomMetadata_asU8() }
}

/** In lower case, as the server gives it back; undefined when it is malformed. */
function idOf(uuid: UUID | undefined): string | undefined {
  const id = uuid?.getString() ?? ''
  return UUID_FORM.test(id) && id !== EMPTY_UUID ? id.toLowerCase() : undefined
}

const unexplained = () => failure(grpc.status.UNKNOWN, 'Exception was thrown by handler.')

const tooLarge = () =>
  failure(grpc.status.INVALID_ARGUMENT, `Maximum Append Size of ${MOST_BYTES} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(MOST_BYTES),
  })

const asFailure = (error: unknown): Partial<ServiceError> =>
  typeof (error as ServiceError).code === 'number' ? (error as ServiceError) : unexplained()
