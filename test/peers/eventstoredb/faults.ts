/** What can be made to go wrong, as it does with a real server. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a repeated append is answered: as the first time, also but without its position, or as a conflict. */
export type RepeatAnswer = 'recognised' | 'without position' | 'conflict'

export interface Faults {
  /** The next so many appends are written, and then all connections break before the answer. */
  loseAnswers(appends: number): void
  /** Calls are taken and nothing is answered or delivered, as by a stopped process, until `speak`. */
  fallSilent(): void
  speak(): void
  breakConnections(): void
  /** Appends are done one after the other, each in so many ms, as by a slow disk; 0: as fast as they come. */
  slowAppends(ms: number): void
  /** Ends every live subscription as if its consumer were too slow. */
  dropSubscribers(): void
  answerRepeats(how: RepeatAnswer): void
  /** Refuses everything to everyone. */
  denyAccess(): void
  /** `$all` may not be read any more, as by a user who is not an administrator. Subscriptions that run go on. */
  denyAll(): void
  /** Is a follower from now on: what needs the leader is sent to this port. Undefined: it leads itself. */
  nameLeader(port: number | undefined): void
  /** Cut off from all other nodes for good: it takes nothing that needs the leader, and gives no reason. */
  loseQuorum(): void
  /** Subscriptions that run deliver nothing more, and do not end: the node is cut off from its leader. */
  standStill(): void
  /** Appends are refused with this name of an error. */
  refuseAppends(reason: string): void
  /** A live subscription is dropped when so many events wait for its consumer. Unlimited unless set. */
  limitLiveBacklog(events: number): void
}

/** What the calls ask before they go on. */
export interface FaultSwitches {
  /** Resolves when the peer is not silent. */
  answering(): Promise<void>
  /** Resolves when it is the turn of this append. */
  turn(): Promise<void>
  /** Whether this append's answer is to be lost. */
  losesAnswer(): boolean
  repeats(): RepeatAnswer
  deniesAccess(): boolean
  deniesAll(): boolean
  isLost(): boolean
  refusal(): string | undefined
  /** For a subscription that begins: whether it stands still by now. */
  still(): () => boolean
  /** The leader's port, when that is another. */
  leader(): number | undefined
  liveBacklog(): number
  breakConnections(): void
  /** Registers a live subscription; returns how to take it off again. */
  subscribed(drop: () => void): () => void
  /** A subscription was dropped. */
  dropped(): void
  /** An event is sent in answer to a read. */
  sending(): void
  /** A message of an append came in, or the whole of it. */
  receiving(): void
  appending(): void
}

/** What has been seen, for tests to look at. */
export interface Observed {
  /** Messages of appends that came in, and appends that came in whole, answered or not. */
  readonly received: number
  readonly appends: number
  /** Events in answer to reads. */
  readonly sent: number
  readonly subscribers: number
  /** Subscriptions so far. */
  readonly subscribed: number
  readonly drops: number
  readonly connections: number
}

export interface FaultBoard {
  readonly faults: Faults
  readonly switches: FaultSwitches
  readonly observed: () => Observed
}

export function faultBoard({ sockets }: { readonly sockets: ReadonlySet<Socket> }): FaultBoard {
  const breakConnections = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  let lost = 0
  let appendMs = 0
  let turns: Promise<unknown> = Promise.resolve()
  let liveBacklog = Infinity
  let drops = 0
  let received = 0
  let appends = 0
  let sent = 0
  let subscribed = 0
  let repeats: RepeatAnswer = 'recognised'
  let denied = false
  let deniedAll = false
  let lostQuorum = false
  let refusal: string | undefined
  let stills = 0
  let leader: number | undefined
  let silence: PromiseWithResolvers<void> | undefined
  const subscribers = new Set<() => void>()
  return {
    faults: {
      loseAnswers: (appends) => (lost = appends),
      fallSilent: () => (silence ??= Promise.withResolvers()),
      speak: () => {
        silence?.resolve()
        silence = undefined
      },
      breakConnections,
      slowAppends: (ms) => (appendMs = ms),
      dropSubscribers: () => {
        for (const drop of [...subscribers]) drop()
      },
      answerRepeats: (how) => (repeats = how),
      denyAccess: () => (denied = true),
      denyAll: () => (deniedAll = true),
      loseQuorum: () => (lostQuorum = true),
      standStill: () => (stills += 1),
      refuseAppends: (reason) => (refusal = reason),
      nameLeader: (port) => (leader = port),
      limitLiveBacklog: (events) => (liveBacklog = events),
    },
    switches: {
      answering: async () => silence?.promise,
      turn: async () => {
        if (appendMs > 0) await (turns = turns.then(() => sleep(appendMs)))
      },
      losesAnswer: () => lost > 0 && lost-- > 0,
      repeats: () => repeats,
      deniesAccess: () => denied,
      deniesAll: () => deniedAll,
      isLost: () => lostQuorum,
      refusal: () => refusal,
      still: () => {
        const began = stills
        return () => stills > began
      },
      leader: () => leader,
      liveBacklog: () => liveBacklog,
      breakConnections,
      subscribed: (drop) => {
        subscribed += 1
        subscribers.add(drop)
        return () => subscribers.delete(drop)
      },
      dropped: () => (drops += 1),
      sending: () => (sent += 1),
      receiving: () => (received += 1),
      appending: () => (appends += 1),
    },
    observed: () => ({
      received,
      appends,
      sent,
      subscribers: subscribers.size,
      subscribed,
      drops,
      connections: sockets.size,
    }),
  }
}
