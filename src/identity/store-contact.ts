/**
 * Whether the event store answers, as far as reads for authentication show. Once it has been silent for as long as a request
 * may wait, further requests are refused at once, and a probe in the background finds out when it is back.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { boundedWait } from '../domain/bounded-wait.ts'
import { Unavailable } from '../domain/errors.ts'

export interface StoreContactOptions {
  /** A cheap read of the store. */
  readonly probe: () => Promise<unknown>
  /** Milliseconds, never going back. */
  readonly elapsed: () => number
  /** Waits this many ms before the next probe. */
  readonly pause?: (ms: number) => Promise<unknown>
}

const PROBE_EVERY_MS = 250
const PROBE_TIMEOUT_MS = 1_000
const REFUSAL = 'the event store does not answer'

export class StoreContact {
  readonly #options: StoreContactOptions
  /** When the first read was sent that has not been answered, if nothing has been answered since. */
  #silentSince: number | undefined
  #isProbing = false
  #isClosed = false

  constructor(options: StoreContactOptions) {
    this.#options = options
  }

  /** How long the store has been silent, in ms; 0 while it answers. */
  silentMs(): number {
    return this.#silentSince === undefined ? 0 : this.#options.elapsed() - this.#silentSince
  }

  /** Notes when a read of the store is sent and answered. */
  note<T>(read: Promise<T>): Promise<T> {
    this.#silentSince ??= this.#options.elapsed()
    const answered = () => (this.#silentSince = undefined)
    read.then(answered, (error: unknown) => {
      if (!(error instanceof Unavailable)) answered()
    })
    return read
  }

  /**
   * What `work` resolves to.
   * @throws Unavailable when the work takes longer than `patienceMs`; at once when the store has been silent for that long
   */
  async within<T>(patienceMs: number, work: () => Promise<T>): Promise<T> {
    try {
      if (this.silentMs() >= patienceMs) throw new Unavailable(REFUSAL)
      return await boundedWait(patienceMs, work(), REFUSAL)
    } catch (error) {
      if (error instanceof Unavailable) this.#probe()
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
  }

  #probe(): void {
    if (this.#isProbing) return
    this.#isProbing = true
    void this.#probeUntilAnswered().finally(() => (this.#isProbing = false))
  }

  async #probeUntilAnswered(): Promise<void> {
    const { probe, pause = (ms) => delay(ms, undefined, { ref: false }) } = this.#options
    while (this.#silentSince !== undefined && !this.#isClosed) {
      await boundedWait(PROBE_TIMEOUT_MS, this.note(probe()), REFUSAL).catch(() => {})
      if (this.#silentSince !== undefined) await pause(PROBE_EVERY_MS)
    }
  }
}
