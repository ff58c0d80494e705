/** Appends and their answers as messages of the protocol. */
import shared, { type UUID } from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import streams, {
  type BatchAppendReq,
  type BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import type { Position } from '../../domain/events/event.ts'
import type { CheckedAppend, CheckedEvent } from './checks.ts'
import { AppendRefused } from './outcomes.ts'
import { uuidText } from './read-answers.ts'
import { positionOf } from './recorded.ts'

export type AppendAnswer =
  /** A repeat may come without a position. */
  | { readonly stored: true; readonly position: Position | undefined }
  /** The stream is at another version. */
  | { readonly stored: false; readonly actual: number }

/** The server takes messages of 4 MiB; larger appends go in several, of which only the last is marked as final. */
const MESSAGE_BYTES = 3 * 1_048_576

export function appendRequests(
  { stream, revision, events }: CheckedAppend,
  correlation: string,
): BatchAppendReq[] {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64')),
  )
  // Never `any`: only an exact revision makes a repeat recognisable after a restart of the server.
  if (revision === 0) options.setNoStream(new shared.Empty())
  else options.setStreamPosition(String(revision - 1))
  // No deadline: it would be a time of our clock, judged by the server's. The server has its own limit (2 s).
  const next = () => new streams.BatchAppendReq().setCorrelationId(new shared.UUID().setString(correlation))
  let request = next().setOptions(options)
  const requests = [request]
  let bytes = 0
  for (const event of events) {
    const size = event.data.length + event.metadata.length + 200
    if (bytes > 0 && bytes + size > MESSAGE_BYTES) {
      request = next()
      requests.push(request)
      bytes = 0
    }
    bytes += size
    request.addProposedMessages(proposed(event))
  }
  request.setIsFinal(true)
  return requests
}

function proposed({ id, type, data, metadata }: CheckedEvent) {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata)
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  return message
}

/** The append that it answers. The server gives back the id as it was sent, or in halves when its own time is up. */
export function correlationOf(answer: BatchAppendResp): string {
  const id: UUID | undefined = answer.getCorrelationId()
  const halves = id?.getStructured()
  if (!halves) return id?.getString() ?? ''
  return uuidText(BigInt(halves.getMostSignificantBits()), BigInt(halves.getLeastSignificantBits()))
}

/** @throws AppendRefused */
export function appendAnswer(answer: BatchAppendResp): AppendAnswer {
  const error = answer.getError()
  if (error) return conflict(error)
  const position = answer.getSuccess()?.getPosition()
  return {
    stored: true,
    position: position
      ? positionOf({
          commit: Number(position.getCommitPosition()),
          prepare: Number(position.getPreparePosition()),
        })
      : undefined,
  }
}

const PREFIX = 'event_store.client.'

function conflict(error: Status): AppendAnswer {
  const reason = (error.getDetails()?.getTypeName() ?? '').replace(PREFIX, '')
  if (reason !== 'WrongExpectedVersion') throw new AppendRefused(reason, error.getMessage())
  const wrong = shared.WrongExpectedVersion.deserializeBinary(
    error.getDetails()?.getValue_asU8() ?? new Uint8Array(),
  )
  return {
    stored: false,
    actual: wrong.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) + 1 : 0,
  }
}
