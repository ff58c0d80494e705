/** Webhooks and their deliveries as they are served. Secrets are not among it. */
import { secondsOf } from '../../domain/fields/dates.ts'
import type { Fields, Json } from '../../domain/json.ts'
import type {
  Attempt,
  DeliveryDetail,
  EndpointHealth,
  LoggedDelivery,
  ReplayState,
} from '../../ports/delivery-log.ts'

/** In this order; `Pending` and `FailingSince` are added. */
const SERVED = [
  'Id',
  'Url',
  'Events',
  'Description',
  'Filter',
  'Ordered',
  'IsActive',
  'DisabledReason',
  'DisabledAt',
  'PreviousSecretUntil',
]

export function webhookAnswer(document: Fields, health: EndpointHealth | undefined): Fields {
  return {
    ...Object.fromEntries(SERVED.map((name) => [name, document[name] ?? null])),
    FailingSince: moment(health?.failingSince),
    Pending: health?.pending ?? 0,
    CreatedAt: document['CreatedAt'] ?? null,
    ModifiedAt: document['ModifiedAt'] ?? null,
  }
}

export function deliveryAnswer(delivery: LoggedDelivery): Fields {
  return {
    Id: delivery.id,
    Webhook: delivery.endpoint,
    MessageId: delivery.message,
    Event: delivery.event,
    Record: delivery.record,
    State: { pending: 'Pending', delivered: 'Delivered', failed: 'Failed', cancelled: 'Cancelled' }[
      delivery.state
    ],
    Attempts: delivery.attempts,
    LastStatus: delivery.lastStatus ?? null,
    LastError: delivery.lastError ?? null,
    LastAttemptAt: moment(delivery.lastAttemptAt),
    NextAttemptAt: moment(delivery.nextAttemptAt),
    CreatedAt: moment(delivery.createdAt),
  }
}

export function deliveryDetailAnswer(delivery: DeliveryDetail): Fields {
  return {
    ...deliveryAnswer(delivery),
    Body: delivery.body,
    Log: delivery.log.map(attemptAnswer),
  }
}

/** `Progress`: how much of the events has been looked at, from 0 to 1. */
export function replayAnswer({
  id,
  endpoint,
  from,
  to,
  after = 0,
  until,
  position,
  done,
}: ReplayState): Fields {
  const share = until > after ? (position - after) / (until - after) : 1
  return {
    Id: id,
    Webhook: endpoint,
    From: from ?? 'beginning',
    To: to ?? null,
    State: done ? 'Done' : position > after ? 'Running' : 'Waiting',
    Progress: done ? 1 : Math.floor(Math.min(Math.max(share, 0), 1) * 100) / 100,
  }
}

function attemptAnswer(attempt: Attempt): Fields {
  return {
    At: moment(attempt.at),
    DurationMs: attempt.durationMs,
    Request: { Url: attempt.url, Headers: attempt.requestHeaders },
    Response:
      attempt.status === undefined
        ? null
        : { Status: attempt.status, Headers: attempt.replyHeaders ?? {}, Body: attempt.reply ?? '' },
    Error: attempt.error ?? null,
  }
}

/** As timestamps of the API are. */
function moment(iso: string | undefined): Json {
  return iso === undefined ? null : secondsOf(iso)
}
