/**
 * When a token was last used, to the day: one write a token a day at most, gathered and made later, so that authenticating
 * costs nothing for it. A process that dies loses what it has not yet written.
 */
import type { WriteRecords } from '../../commands/write-records.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { token } from '../objects.ts'
import type { TokenPlace } from './token-values.ts'

export interface TokenUse {
  /** `time` in ms since 1970. */
  note(place: TokenPlace, fields: Fields, time: number): void
  /** Writes what was noted. */
  flush(): Promise<void>
  /** Flushes now and then, until it is stopped. */
  start(): void
  stop(): void
}

export interface TokenUseOptions {
  readonly write: Pick<WriteRecords, 'update'>
  readonly newCommand: () => string
  readonly onTrouble: (error: unknown) => void
}

const FLUSH_MS = 60_000
const DAY_MS = 86_400_000

export function tokenUse({ write, newCommand, onTrouble }: TokenUseOptions): TokenUse {
  let noted = new Map<string, { readonly company: Company; readonly day: string }>()
  let timer: NodeJS.Timeout | undefined
  let today = ''
  let todayEnds = 0

  const flush = async () => {
    const all = noted
    noted = new Map()
    for (const [key, { company, day }] of all) {
      const command = newCommand()
      const caller = { company, actor: SYSTEM, correlation: command, command }
      const body = { LastUsedOn: day }
      // Deleted meanwhile, or the store is away: the next use is noted again.
      await write.update(caller, { definition: token, key, body, writing: 'merge' }).catch(onTrouble)
    }
  }

  return {
    note({ company, key }, fields, time) {
      if (time >= todayEnds || time < todayEnds - DAY_MS) {
        today = new Date(time).toISOString().slice(0, 10)
        todayEnds = Date.parse(today) + DAY_MS
      }
      if (fields['LastUsedOn'] !== today && !noted.has(key)) noted.set(key, { company, day: today })
    },
    flush,
    start() {
      timer ??= setInterval(() => void flush(), FLUSH_MS).unref()
    },
    stop: () => clearInterval(timer),
  }
}
