/** The peer's answers as protocol messages. */
import { randomUUID } from 'node:crypto'
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { ServiceError } from '@grpc/grpc-js'
import type { AppendOutcome, LoggedEvent } from './event-log.ts'
import { grpc, shared, streams } from './generated.ts'

const TICKS_PER_MILLISECOND = 10_000n

/** An error as the server sends it; `exception` and its details are what the client knows it by. */
export function failure(
  code: number,
  details: string,
  exception: Readonly<Record<string, string>> = {},
): ServiceError {
  const metadata = new grpc.Metadata()
  for (const [name, value] of Object.entries(exception)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

export const streamName = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString()

const streamIdentifier = (stream: string): StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'))

export function appendAnswer(outcome: AppendOutcome, expected: number): AppendResp {
  const answer = new streams.AppendResp()
  if (!outcome.stored) {
    const wrong = new streams.AppendResp.WrongExpectedVersion()
    if (outcome.revision < 0) wrong.setCurrentNoStream(new shared.Empty())
    else wrong.setCurrentRevision(String(outcome.revision))
    if (expected < 0) wrong.setExpectedNoStream(new shared.Empty())
    else wrong.setExpectedRevision(String(expected))
    return answer.setWrongExpectedVersion(wrong)
  }
  const success = new streams.AppendResp.Success()
  if (outcome.revision < 0) success.setNoStream(new shared.Empty())
  else success.setCurrentRevision(String(outcome.revision))
  if (outcome.position === undefined) success.setNoPosition(new shared.Empty())
  else {
    const position = new streams.AppendResp.Position()
    success.setPosition(
      position.setCommitPosition(String(outcome.position)).setPreparePosition(String(outcome.position)),
    )
  }
  return answer.setSuccess(success)
}

export function eventAnswer(event: LoggedEvent): ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(String(event.position))
    .setPreparePosition(String(event.position))
    .setData(event.data)
    .setCustomMetadata(event.metadata)
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', String(BigInt(event.created) * TICKS_PER_MILLISECOND))
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(event.position))
  return new streams.ReadResp().setEvent(read)
}

export const streamNotFound = (stream: string): ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
  )

export const confirmation = (): ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  )

export const caughtUp = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())

export const checkpoint = (commit: number, prepare: number): ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(commit)).setPreparePosition(String(prepare)),
  )
