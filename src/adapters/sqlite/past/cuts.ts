/**
 * Cuts: read models as they stood at a position, of one company, an object and what it looks up. Each is a file of its own,
 * made when it is asked for, kept while there is room, and the beginning of later cuts.
 *
 * It gets the same events, by the same projections, as the live read models; so it cannot say anything else.
 */
import { copyFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Invalid } from '../../../domain/errors.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { EventRanges, Range } from '../../../ports/journal.ts'
import type { ReadModelFile } from '../read-models/read-model-file.ts'

export interface Cuts {
  /**
   * The file with everything up to `range.upTo`; undefined when nothing had happened by then.
   * @throws Invalid when there is too much to be replayed
   */
  at(range: Omit<Range, 'after'>): Promise<ReadModelFile | undefined>
  close(): Promise<void>
}

export interface CutsOptions {
  /** Of nobody else; it exists. */
  readonly folder: string
  readonly events: EventRanges
  readonly limits: CutLimits
  /** Applies the events of the range to the file, which holds what was before it; when that is nothing, there is no file yet. */
  readonly tell: (path: string, range: Range) => Promise<void>
  readonly open: (path: string) => ReadModelFile
}

export interface CutLimits {
  /** Cuts that are kept. */
  readonly most: number
  /** Bytes of all that are kept; the last one is kept in any case. */
  readonly mostBytes: number
  /** Events that are replayed for one cut. */
  readonly mostEvents: number
}

interface Cut {
  readonly scope: string
  readonly position: Position
  readonly path: string
  readonly file: ReadModelFile
  readonly bytes: number
}

export function cuts({ folder, events, limits, tell, open }: CutsOptions): Cuts {
  /** The one used last at the end. */
  let kept: Cut[] = []
  const beingMade = new Map<string, Promise<Cut>>()
  let making: Promise<unknown> = Promise.resolve()
  let made = 0
  let closed = false

  const discard = ({ file, path }: Cut) => {
    file.close()
    rmSync(path, { force: true })
  }

  const keepWithin = () => {
    const bytes = () => kept.reduce((sum, cut) => sum + cut.bytes, 0)
    while (kept.length > 1 && (kept.length > limits.most || bytes() > limits.mostBytes))
      discard(kept.shift()!)
  }

  const make = async (scope: string, range: Range): Promise<Cut> => {
    if (closed) throw new Error('the cuts are closed')
    const whole = { ...range, after: 0 }
    const base = kept
      .filter((cut) => cut.scope === scope && cut.position < range.upTo)
      .reduce<Cut | undefined>((best, cut) => (best && best.position > cut.position ? best : cut), undefined)
    const all = await events.count(whole)
    // Adding to a file costs some times as much for an event as building one.
    const rest = base ? await events.count({ ...range, after: base.position }) : all
    const from = base && rest * 3 < all ? base : undefined
    const told = from ? rest : all
    if (told > limits.mostEvents) {
      const message = `needs ${told} events to be replayed, more than the ${limits.mostEvents} that the service allows`
      throw new Invalid(`asOf ${message}`, [{ Field: 'asOf', Message: message }])
    }
    const path = join(folder, `cut-${++made}.db`)
    try {
      if (from) copyFileSync(from.path, path)
      await tell(path, { ...range, after: from?.position ?? 0 })
      return { scope, position: range.upTo, path, file: open(path), bytes: statSync(path).size }
    } catch (error) {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
      throw error
    }
  }

  return {
    async at({ company, objects, upTo }) {
      const sorted = [...objects].sort()
      const scope = JSON.stringify([company, sorted])
      // Positions between which nothing happened to these objects are one cut.
      const position = await events.last({ company, objects: sorted, after: 0, upTo })
      if (position === 0) return undefined
      const there = kept.find((cut) => cut.scope === scope && cut.position === position)
      if (there) {
        kept = [...kept.filter((cut) => cut !== there), there]
        return there.file
      }
      const id = `${position} ${scope}`
      let cut = beingMade.get(id)
      if (!cut) {
        // One after the other: each takes all that the disk and this thread have.
        cut = making.then(() => make(scope, { company, objects: sorted, after: 0, upTo: position }))
        making = cut.catch(() => {})
        beingMade.set(id, cut)
        const ready = cut.then((one) => {
          kept.push(one)
          keepWithin()
        })
        void ready.catch(() => {}).then(() => beingMade.delete(id))
      }
      return (await cut).file
    },
    async close() {
      closed = true
      for (const cut of kept) discard(cut)
      kept = []
      await events.close()
    },
  }
}
