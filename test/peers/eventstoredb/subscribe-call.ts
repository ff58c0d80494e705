/**
 * The filtered subscription to all events, as 23.10 does it: pages of 32 until it has caught up, then live.
 *
 * A checkpoint comes after every so many events looked at. Of a page it names the last event that passed the filter or,
 * when none did, the place where the page began: `{commit, prepare: 0}`, which is no event's position. Live it names the
 * event just looked at.
 */
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import { type Reading, type ReadSources, write } from './delivery.ts'
import type { LoggedEvent } from './event-log.ts'
import { grpc } from './generated.ts'
import { caughtUp, checkpoint, confirmation, eventAnswer, failure } from './messages.ts'

const PAGE = 32

export async function subscribe(
  { log, switches, checkpointOnCatchUp }: ReadSources,
  { call, options, gone }: Reading,
): Promise<void> {
  const filter = filterOf(options.getFilter())
  const from = options.getAll()
  let after = from?.hasStart() ? -1 : Number(from?.getPosition()?.getCommitPosition())
  // From beyond the end it is silent, without an error, until the log passes that position.
  if (after >= 0 && after < log.end() && !log.has(after))
    throw failure(grpc.status.UNKNOWN, 'Unexpected FilteredReadAllResult: Error')
  let pageStart = after + 1
  let considered = 0
  let live = false
  const unregister = switches.subscribed(() => {
    if (live) drop()
  })
  const isStill = switches.still()
  const dropped = new AbortController()
  const over = AbortSignal.any([gone, dropped.signal])

  function drop(): void {
    switches.dropped()
    dropped.abort(
      failure(grpc.status.ABORTED, 'Operation timed out: Consumer too slow to handle event while live.'),
    )
  }

  try {
    await write(call, over, confirmation())
    while (!over.aborted) {
      await switches.answering()
      const page = isStill() ? [] : log.after(after, PAGE)
      let passed: LoggedEvent | undefined
      for (const event of page) {
        if (over.aborted) break
        after = event.position
        considered += 1
        if (filter.test(event)) {
          passed = event
          await write(call, over, eventAnswer(event))
        }
        if (live && considered >= filter.every) {
          considered = 0
          await write(call, over, checkpoint(after, after))
        }
        if (live && switches.liveBacklog() < Infinity && log.countAfter(after) > switches.liveBacklog())
          drop()
      }
      const end = page.at(-1)
      if (page.length === PAGE) {
        if (!live && considered >= filter.every) {
          considered %= filter.every
          await write(
            call,
            over,
            passed ? checkpoint(passed.position, passed.position) : checkpoint(pageStart, 0),
          )
        }
        if (end) pageStart = end.position + end.size
        continue
      }
      if (!live) {
        live = true
        await write(call, over, caughtUp())
        if (checkpointOnCatchUp) await write(call, over, checkpoint(log.end(), 0))
      }
      if (isStill() || log.countAfter(after) === 0) await log.committed(over).catch(() => {})
    }
  } finally {
    unregister()
  }
  if (dropped.signal.aborted) throw dropped.signal.reason
}

interface Filter {
  readonly test: (event: LoggedEvent) => boolean
  /** A checkpoint after so many events. */
  readonly every: number
}

function filterOf(options: ReadReq.Options.FilterOptions | undefined): Filter {
  const pattern = (
    options?.hasEventType() ? options.getEventType() : options?.getStreamIdentifier()
  )?.getRegex()
  if (!options || !pattern)
    throw failure(grpc.status.UNKNOWN, 'this peer filters by a regular expression only')
  const expression = new RegExp(pattern)
  return {
    test: ({ type, stream }) => expression.test(options.hasEventType() ? type : stream),
    every: (options.hasMax() ? options.getMax() : PAGE) * options.getCheckpointintervalmultiplier(),
  }
}
