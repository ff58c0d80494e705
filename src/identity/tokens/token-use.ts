/**
 * When a token was last used, to the day. Uses are noted in memory and written later, at most once a day for each token, so
 * that authentication costs nothing for it. What a process has not written when it dies is lost.
 */
import type { WriteRecords } from '../../commands/write-records.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { token } from '../objects.ts'
import type { TokenPlace } from './token-values.ts'

export interface TokenUseOptions {
  readonly write: Pick<WriteRecords, 'update'>
  readonly newCommand: () => string
  readonly onTrouble: (error: unknown) => void
}

const FLUSH_MS = 60_000
const DAY_MS = 86_400_000

export class TokenUse {
  readonly #options: TokenUseOptions
  #noted = new Map<string, { readonly company: Company; readonly day: string }>()
  #timer: NodeJS.Timeout | undefined
  #today = ''
  #todayEnds = 0

  constructor(options: TokenUseOptions) {
    this.#options = options
  }

  /** The token was used at `time` (ms since 1970). */
  note({ company, key }: TokenPlace, fields: Fields, time: number): void {
    if (time >= this.#todayEnds || time < this.#todayEnds - DAY_MS) {
      this.#today = new Date(time).toISOString().slice(0, 10)
      this.#todayEnds = Date.parse(this.#today) + DAY_MS
    }
    if (fields['LastUsedOn'] !== this.#today && !this.#noted.has(key))
      this.#noted.set(key, { company, day: this.#today })
  }

  /** Writes what was noted. */
  async flush(): Promise<void> {
    const { write, newCommand, onTrouble } = this.#options
    const all = this.#noted
    this.#noted = new Map()
    for (const [key, { company, day }] of all) {
      const command = newCommand()
      const caller = { company, actor: SYSTEM, correlation: command, command }
      const body = { LastUsedOn: day }
      // The token was deleted meanwhile, or the store is away: the next use is noted again.
      await write.update(caller, { definition: token, key, body, writing: 'merge' }).catch(onTrouble)
    }
  }

  /** Flushes once a minute until it is stopped. */
  start(): void {
    this.#timer ??= setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
