/** Lines of bank accounts: what each is for, or may be for, and to decide on it. */
import { ask } from './areas.ts'
import type { Transport, Wishes, WriteWishes } from './transport.ts'
import type { Money } from './values.ts'

/** A payment or an invoice, and how much of the line is for it; without an amount, as much as is open. */
export type MatchPart = ({ readonly Payment: string } | { readonly Invoice: string }) & {
  readonly Amount?: number
}

export interface LineMatches {
  readonly Id: string
  readonly Status: 'Unmatched' | 'Proposed' | 'PartlyMatched' | 'Matched' | 'Ignored'
  readonly MatchRule: string | null
  readonly MatchedAmount: Money | null
  readonly Matches: readonly {
    readonly Kind: 'received' | 'made' | 'returned'
    readonly Payment: string
    readonly Invoice: string | null
    readonly Amount: number
  }[]
  readonly Proposals: readonly {
    readonly Rule: string
    readonly IsCertain: boolean
    readonly As: string | null
    /** To be given to `match` as they are. */
    readonly Payments: readonly MatchPart[]
    readonly Returns: string | null
  }[]
}

export interface Rematched {
  readonly Lines: number
  readonly Matched: number
  readonly Proposed: number
}

export class Bank {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** How a line stands, and what it may be for. */
  matches(line: string, wishes: Wishes = {}): Promise<LineMatches> {
    return ask(this.#transport, {
      method: 'GET',
      path: pathOf('banktransaction', line, 'matches'),
      ...wishes,
    })
  }
  match(line: string, parts: readonly MatchPart[], wishes: WriteWishes = {}): Promise<LineMatches> {
    return this.#post(pathOf('banktransaction', line, 'match'), wishes, { Payments: parts })
  }
  /** Payments and invoices become what they were. */
  unmatch(line: string, wishes: WriteWishes = {}): Promise<LineMatches> {
    return this.#post(pathOf('banktransaction', line, 'unmatch'), wishes)
  }
  /** It is for no payment; `unmatch` takes that back. */
  ignore(line: string, wishes: WriteWishes = {}): Promise<LineMatches> {
    return this.#post(pathOf('banktransaction', line, 'ignore'), wishes)
  }
  /** Matches what is certain of all open lines of an account, and proposes the rest. */
  rematch(account: string, wishes: WriteWishes = {}): Promise<Rematched> {
    return this.#post(pathOf('bankaccount', account, 'rematch'), wishes)
  }

  #post<T>(path: string, wishes: WriteWishes, body?: object): Promise<T> {
    return ask(this.#transport, { method: 'POST', path, body, ...wishes })
  }
}

const pathOf = (...parts: readonly string[]) => parts.map(encodeURIComponent).join('/')
