/** The peer's answers as protocol messages. */
import { randomUUID } from 'node:crypto'
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import type { BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { ServiceError } from '@grpc/grpc-js'
import type { AppendOutcome, LoggedEvent, ProposedAppend } from './event-log.ts'
import { grpc, shared, status, streams, wellKnown } from './generated.ts'

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

export const accessDenied = (): ServiceError =>
  failure(grpc.status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' })

/** What is under way when the server stops. */
export const stopping = (): ServiceError => failure(grpc.status.UNAVAILABLE, 'Server is shutting down')

export const notLeader = (port: number): ServiceError =>
  failure(grpc.status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': '127.0.0.1',
    'leader-endpoint-port': String(port),
  })

export const streamName = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString()

const streamIdentifier = (stream: string): StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'))

const answerFor = (stream: string): BatchAppendResp =>
  new streams.BatchAppendResp().setStreamIdentifier(streamIdentifier(stream))

export function appended(outcome: AppendOutcome & { stored: true }, stream: string): BatchAppendResp {
  const success = new streams.BatchAppendResp.Success()
  if (outcome.revision < 0) success.setNoStream(new wellKnown.Empty())
  else success.setCurrentRevision(String(outcome.revision))
  if (outcome.position === undefined) success.setNoPosition(new wellKnown.Empty())
  else {
    const position = String(outcome.position)
    success.setPosition(
      new shared.AllStreamPosition().setCommitPosition(position).setPreparePosition(position),
    )
  }
  return answerFor(stream).setSuccess(success)
}

export function wrongVersion(
  { revision }: AppendOutcome,
  { stream, expected }: ProposedAppend,
): BatchAppendResp {
  const wrong = new shared.WrongExpectedVersion()
  if (revision < 0) wrong.setCurrentNoStream(new wellKnown.Empty())
  else wrong.setCurrentStreamRevision(String(revision))
  if (expected < 0) wrong.setExpectedNoStream(new wellKnown.Empty())
  else wrong.setExpectedStreamPosition(String(expected))
  return answerFor(stream).setError(statusOf('WrongExpectedVersion', wrong.serializeBinary()))
}

export type AppendRefusal = 'AccessDenied' | 'BadRequest' | 'MaximumAppendSizeExceeded'

export function refused(reason: AppendRefusal, stream: string): BatchAppendResp {
  const details = {
    AccessDenied: () => new shared.AccessDenied(),
    BadRequest: () => new shared.BadRequest(),
    MaximumAppendSizeExceeded: () => new shared.MaximumAppendSizeExceeded().setMaxappendsize(1_048_576),
  }
  return answerFor(stream).setError(statusOf(reason, details[reason]().serializeBinary()))
}

/** An error of this full name, without details. */
export const named = (name: string, stream: string): BatchAppendResp =>
  answerFor(stream).setError(packed(name, new Uint8Array()))

const statusOf = (name: string, details: Uint8Array): Status => packed(`event_store.client.${name}`, details)

function packed(name: string, details: Uint8Array): Status {
  const any = new wellKnown.Any()
  any.pack(details, name)
  return new status.Status().setMessage(name.split('.').at(-1) ?? '').setDetails(any)
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
