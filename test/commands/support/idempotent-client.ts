/** A client that sends requests with an Idempotency-Key, as tests of repeats use it. */
import type { Caller } from '../../../src/commands/command.ts'
import { idempotency, type RecordedAnswer } from '../../../src/commands/support/idempotency.ts'
import type { Written } from '../../../src/commands/support/record-appends.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { Json } from '../../../src/domain/json.ts'
import { objectOfKey } from '../../../src/domain/records/key.ts'
import type { Interference, MemoryLog } from '../../support/memory-event-store.ts'
import { caller, definition, type WriteSide } from '../../support/write-side.ts'

export const lease = { MonthlyRent: { Amount: 1250.5, Currency: 'EUR' }, StartDate: '2026-03-02' }

/** What a client sends and gets: requests with an Idempotency-Key to one process. */
export function client(side: WriteSide, by: Partial<Caller> = {}) {
  const { once } = idempotency({ events: side.events, now: side.clock.now, answers: side.answers })
  const answerOf = ({ key: Id, state, created }: Written, status: number): RecordedAnswer => ({
    status,
    headers: { ETag: `"${state.version}"` },
    body: JSON.stringify({ Id, ...state.fields, created }),
  })
  const send = (idempotencyKey: string, body: Json, run: (caller: Caller) => Promise<RecordedAnswer>) =>
    once({ caller: caller(by), idempotencyKey, fingerprint: JSON.stringify(body) }, run)
  return {
    send,
    post: (idempotencyKey: string, body: Json, object = 'contract') =>
      send(idempotencyKey, body, async (asking) =>
        answerOf(await side.write.create(asking, { definition: definition(object), body }), 201),
      ),
    patch: (idempotencyKey: string, stream: string, body: Json) =>
      send(idempotencyKey, body, async (asking) => {
        const change = {
          definition: definition(objectOfKey(stream)!),
          key: stream,
          body,
          writing: 'merge',
        } as const
        return answerOf(await side.write.update(asking, change), 200)
      }),
  }
}

export const recordEvents = (log: MemoryLog) =>
  log.all().filter(({ stream }) => objectOfKey(stream) !== undefined)
export const settled = <T>(attempt: Promise<T>) => Promise.allSettled([attempt]).then(([outcome]) => outcome)
/** Fails the calls that concern streams of that name: before anything is stored, or after. */
export const failing = (when: 'before' | 'after', stream: string): Interference => ({
  [when]: (append: { readonly stream: string }) => {
    if (append.stream.startsWith(stream)) throw new Unavailable('the process died')
  },
})
