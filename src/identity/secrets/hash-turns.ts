/**
 * The order in which passwords are hashed: one at a time, logins before administration. In each of the two lines
 * companies take turns, and a company may have only a few waiting, so that none can keep the others from logging in.
 */
import { Busy } from '../../domain/errors.ts'

/** `login`: checks a password. `administration`: makes the hash of a new one. */
export type HashPurpose = 'login' | 'administration'

export interface HashTurn {
  readonly purpose: HashPurpose
  /** Key of the company whose turn it takes. */
  readonly company: string
}

/** How many may wait: of all companies, and of one. Administration never delays a login, so that more of it may wait. */
const PLACES = {
  login: { all: 50, company: 10 },
  administration: { all: 50, company: 25 },
} as const

export class HashTurns {
  readonly #lines = { login: new Line(PLACES.login), administration: new Line(PLACES.administration) }
  #isRunning = false

  /** @throws Busy when too many are waiting */
  async run<T>({ purpose, company }: HashTurn, work: () => Promise<T>): Promise<T> {
    if (this.#isRunning) await this.#lines[purpose].wait(company)
    this.#isRunning = true
    try {
      return await work()
    } finally {
      const next = this.#lines.login.next() ?? this.#lines.administration.next()
      if (next) next()
      else this.#isRunning = false
    }
  }
}

/** Those that wait, by company. The first company of the map has the next turn. */
class Line {
  readonly #places: { readonly all: number; readonly company: number }
  readonly #waiting = new Map<string, (() => void)[]>()
  #length = 0

  constructor(places: { readonly all: number; readonly company: number }) {
    this.#places = places
  }

  /** @throws Busy */
  async wait(company: string): Promise<void> {
    const own = this.#waiting.get(company) ?? []
    if (this.#length >= this.#places.all || own.length >= this.#places.company)
      throw new Busy('too many passwords are waiting to be hashed')
    await new Promise<void>((go) => {
      this.#length++
      own.push(go)
      this.#waiting.set(company, own)
    })
  }

  next(): (() => void) | undefined {
    for (const [company, own] of this.#waiting) {
      const go = own.shift()
      this.#waiting.delete(company)
      if (own.length > 0) this.#waiting.set(company, own) // now the last one
      this.#length--
      return go
    }
    return undefined
  }
}
