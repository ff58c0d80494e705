/**
 * Followers that write no read model, as operators have them: seen among the projections, resumed after an event that they could
 * not handle, and begun again from the first event. What they do may be done twice without harm.
 */
import { Conflict } from '../domain/errors.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import type { ProjectionStatus } from '../ports/read-models.ts'
import type { Follower } from './follow.ts'

export interface Followed {
  /** Begins to follow, from where it was. @throws Unavailable when it cannot be known where that was */
  start(): Promise<Follower>
  /** Forgets what it has made, and its position. */
  drop(projection: string): Promise<void>
  /** The name for operators of a projection. */
  shownAs(projection: string): string
}

export interface FollowersControl extends ProjectionControl {
  /** Follows, until it is stopped. @throws Unavailable as above */
  add(followed: Followed): Promise<void>
  stop(): Promise<void>
}

interface Running {
  readonly followed: Followed
  follower: Follower
  /** Beginning again: one at a time. */
  turn: Promise<unknown>
}

/** @param isShared other processes keep the same: none may begin it again while they go on */
export function followersControl(isShared: boolean): FollowersControl {
  const all: Running[] = []
  let stopped = false

  const find = (shown: string) => {
    for (const one of all)
      for (const { name } of one.follower.status())
        if (one.followed.shownAs(name) === shown) return { one, name }
    return undefined
  }
  const beginAgain = async (one: Running, name: string) => {
    await one.follower.stop()
    await one.followed.drop(name)
    if (!stopped) one.follower = await one.followed.start()
  }

  return {
    async add(followed) {
      all.push({ followed, follower: await followed.start(), turn: Promise.resolve() })
    },
    status: async () =>
      all.flatMap(({ followed, follower }) =>
        follower.status().map((one): ProjectionStatus => ({ ...one, name: followed.shownAs(one.name) })),
      ),
    async rebuild(shown) {
      if (isShared)
        throw new Conflict(
          'Several processes keep these timers together, so none can begin them again. An event of a record plans its timers.',
        )
      const found = find(shown)
      if (!found) return
      const { one, name } = found
      one.turn = one.turn.then(() => beginAgain(one, name))
      await one.turn
    },
    async resume(shown) {
      const found = find(shown)
      found?.one.follower.resume(found.name)
    },
    async stop() {
      stopped = true
      await Promise.all(
        all.map(async (one) => {
          await one.turn.catch(() => {})
          await one.follower.stop()
        }),
      )
    },
  }
}
