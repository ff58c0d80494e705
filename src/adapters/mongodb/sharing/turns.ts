/**
 * Whose turn it is to write a generation: that of the process that holds the lease, and, where others take part, of those to
 * which it gives shards of companies. It looks who lives, and divides again when somebody came or went.
 */
import { Unavailable } from '../../../domain/errors.ts'
import type { Checkpoint } from '../checkpoint.ts'
import type { Connection } from '../connection.ts'
import { newHolder, seekLease, type Lease } from '../lease.ts'
import type { OneAtATime } from '../one-at-a-time.ts'
import { giveShares } from './give-shares.ts'
import { takePart, type Sharing } from './sharing.ts'
import { leadersTurn, sharesTurn, type Turn } from './turn.ts'

export interface TurnsOptions {
  readonly connection: Connection
  readonly generation: string
  readonly checkpoint: Checkpoint
  readonly leaseMs: number
  /** In which a turn changes, and in which is written. */
  readonly inTurn: OneAtATime
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>
  /** To be done before anything is written in a turn. */
  readonly begin: (isLeader: boolean) => Promise<void>
  /** Called when a turn has begun. */
  readonly begun: () => Promise<void>
  /** Called whenever this process has come to hold the lease. */
  readonly onTaken: () => void
  readonly onTrouble: (message: string, error: unknown) => void
}

export class Turns {
  readonly #options: TurnsOptions
  readonly #holder = newHolder()
  readonly #lease: Lease
  #sharing: Sharing | undefined
  /** Undefined while nothing is to be given to others. */
  #onTurn: (() => void) | undefined
  #turn: Turn | undefined
  /** What `onTurn` was last called for. */
  #said = ''
  /** The term in which what is given is known to be what this process gave. */
  #dividedIn: number | undefined
  #dividing: Promise<void> | undefined
  /** Nothing is given while something is parked: it would be parked elsewhere. */
  isParked = false

  constructor(options: TurnsOptions) {
    this.#options = options
    const { connection, generation: id, leaseMs, onTaken, onTrouble } = options
    const { leases, ready } = connection
    this.#lease = seekLease({ leases, ready, id, holder: this.#holder, leaseMs, onTaken, onTrouble })
  }

  /** The term of the lease, while this process holds it. */
  term(): number | undefined {
    return this.#lease.term()
  }

  /** Whether this process has a share, and not the lease. */
  isHelping(): boolean {
    return this.term() === undefined && this.#sharing?.share() !== undefined
  }

  /** The turn that has been begun and is not over, as far as this process knows. */
  current(): Turn | undefined {
    const turn = this.#turn
    if (!turn) return undefined
    const isOn =
      turn.share === undefined
        ? turn.term === this.term()
        : this.isHelping() && this.#sharing?.share()?.id === turn.share
    return isOn ? turn : undefined
  }

  /** Resolves when this process may write. @throws Unavailable when it is closed, or when `timeoutMs` pass */
  async mine(timeoutMs?: number): Promise<void> {
    const sharing = this.#sharing
    const either = [this.#lease.held(timeoutMs), ...(sharing ? [sharing.given(timeoutMs)] : [])]
    await Promise.any(either).catch((error: AggregateError) => Promise.reject(error.errors[0] as Error))
  }

  /** Inside a turn: begins another one where the one before is over. @throws Unavailable when this process may not write */
  async prepare(): Promise<Turn> {
    const current = this.current()
    if (current) return current
    const { leaseMs, begin } = this.#options
    this.#turn = undefined
    await this.mine(leaseMs / 3)
    const term = this.term()
    await begin(term !== undefined)
    return this.#begin(term === undefined ? await this.#helpersTurn() : await this.#leadersTurn(term))
  }

  /** How far it came is not known: the next reads it again. */
  forget(): void {
    this.#turn = undefined
  }

  /** @param onTurn called when what this process writes has become other */
  share(onTurn: () => void): void {
    this.#onTurn = onTurn
    const { connection, generation, leaseMs, onTrouble } = this.#options
    const { members, checkpoints: positions, ready } = connection
    this.#sharing ??= takePart({
      ...{ members, positions, ready, generation, holder: this.#holder, leaseMs, onTrouble },
      onLook: () => this.#lookAfter(),
    })
  }

  async standBack(ms: number): Promise<void> {
    const { inTurn, guarded } = this.#options
    await inTurn(() => guarded(async () => this.#sharing?.leave(ms)))
  }

  async alone(): Promise<void> {
    const { inTurn, guarded } = this.#options
    this.#onTurn = undefined
    await inTurn(() => guarded(() => this.#giveTo([])))
  }

  async close(): Promise<void> {
    await this.#sharing?.close()
    await this.#dividing
    await this.#lease.close()
  }

  async #begin(turn: Turn): Promise<Turn> {
    this.#turn = turn
    await this.#options.begun()
    const { term, share, given } = turn
    const said = JSON.stringify([term, share, given])
    if (said !== this.#said) this.#onTurn?.()
    this.#said = said
    return turn
  }

  async #leadersTurn(term: number): Promise<Turn> {
    const { checkpoint, connection, generation } = this.#options
    const positions = await checkpoint.claim(term)
    const { given = [] } = (await connection.checkpoints.findOne({ _id: generation })) ?? {}
    if (given.length === 0 || this.#dividedIn === term)
      return leadersTurn({ term, positions, given, checkpoint })
    // Its own share is among them, if it had one.
    return leadersTurn({ term, checkpoint, ...(await this.#give(term, this.#sharing?.others() ?? [])) })
  }

  #helpersTurn(): Promise<Turn> {
    const sharing = this.#sharing
    const share = sharing?.share()
    if (!share) throw new Unavailable('this process has no part in writing the projections yet')
    return sharesTurn(this.#options.connection.shares, share, () => sharing?.lost(share.id))
  }

  async #give(term: number, holders: readonly string[]) {
    const { connection, generation } = this.#options
    const { checkpoints: positions, shares } = connection
    this.#dividedIn = undefined
    const given = await giveShares({ positions, shares, generation, term, holders })
    this.#dividedIn = term
    return given
  }

  #lookAfter(): void {
    this.#dividing ??= this.#divide()
      .catch((error: unknown) => {
        if (!(error instanceof Unavailable))
          this.#options.onTrouble('the work of the projections cannot be divided', error)
      })
      .finally(() => (this.#dividing = undefined))
  }

  /** Gives parts where this process leads, begins with a part that it was given. */
  async #divide(): Promise<void> {
    const { inTurn, guarded } = this.#options
    if (!this.#onTurn || (this.term() === undefined && !this.isHelping())) return
    if (!this.current()) await inTurn(() => guarded(() => this.prepare()))
    const turn = this.current()
    if (turn?.term === undefined || this.isParked) return
    const holders = this.#sharing?.others() ?? []
    const isOther = turn.given.some(({ holder }) => !holders.includes(holder))
    if (isOther || turn.given.length !== holders.length)
      await inTurn(() => guarded(() => this.#giveTo(holders)))
  }

  /** Inside a turn. */
  async #giveTo(holders: readonly string[]): Promise<void> {
    const { term, given } = await this.prepare()
    if (term === undefined || (holders.length === 0 && given.length === 0)) return
    this.#turn = undefined
    const { checkpoint } = this.#options
    await this.#begin(leadersTurn({ term, checkpoint, ...(await this.#give(term, holders)) }))
  }
}
