/**
 * The API token that requests carry. Given a place to keep it, it is rotated when its end is near, so that a job that runs
 * for years never stops: the old value is valid for 24 more hours, and another process finds the new one in that place.
 */

/** Where a token is kept: a file, a secret store. */
export interface TokenPlace {
  read(): string | Promise<string>
  /** Called with each new value, before it is used. */
  keep(token: string): void | Promise<void>
}

/** Days before its end at which a token is rotated; the service says when it ends in the last 14. */
const ROTATED_DAYS_BEFORE = 7
const DAY_MS = 86_400_000

export class Token {
  readonly #place: TokenPlace | undefined
  #value: string | undefined
  #rotating: Promise<void> | undefined

  constructor(given: string | TokenPlace | undefined) {
    if (typeof given === 'object') this.#place = given
    else this.#value = given
  }

  async value(): Promise<string | undefined> {
    return (this.#value ??= await this.#place?.read())
  }

  /** After a 401: whether the place has another value than the one that was sent. */
  async renewed(sent: string | undefined): Promise<boolean> {
    if (!this.#place) return false
    if (this.#value === sent) this.#value = await this.#place.read()
    return this.#value !== sent
  }

  /**
   * Rotates the token when `X-Token-Expires` says that its end is near; once, however many answers say so.
   * @param rotate asks the service for a new value
   */
  async expires(header: string | null, sent: string, rotate: () => Promise<string>): Promise<void> {
    if (!this.#place || header === null) return
    const left = Date.parse(header) - Date.now()
    if (!(left < ROTATED_DAYS_BEFORE * DAY_MS)) return
    // What rotates asks the service itself, and is answered that its token ends: it does not wait for itself.
    if (this.#rotating) return
    this.#rotating = this.#rotate(sent, rotate).finally(() => (this.#rotating = undefined))
    await this.#rotating
  }

  async #rotate(sent: string, rotate: () => Promise<string>): Promise<void> {
    // Another process may have done it.
    if (await this.renewed(sent)) return
    const value = await rotate()
    await this.#place!.keep(value)
    this.#value = value
  }

  /** The value is not for logs. */
  toJSON(): string {
    return '[token]'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[token]'
  }
}
