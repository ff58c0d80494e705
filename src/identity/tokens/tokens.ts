/**
 * API tokens (specification 5.2, open facts 23 to 25): made with no more roles than their maker has, valid for a bounded
 * time, rotated with a day in which the old value still holds, revoked at once.
 *
 * A token that a user makes stands for that user: it does nothing that he may not do himself any more, and nothing once he
 * is gone. One that such a token makes stands for the same user.
 */
import type { Caller } from '../../commands/command.ts'
import type { ExpectedVersion } from '../../commands/support/expected-version.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { createRecord } from '../../commands/create-record.ts'
import { derivedKey } from '../../commands/support/identifiers.ts'
import { utcTimestamp } from '../../domain/fields/dates.ts'
import {
  Conflict,
  faultsOf,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  type Fault,
} from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { rolesOf } from '../identity-state.ts'
import { token as tokenObject } from '../objects.ts'
import type { Sealer } from '../secrets/sealed-secrets.ts'
import { newTokenValue, tokenHash, tokenHint, type TokenPlaces } from './token-values.ts'
import { checkGrant, membersOf, rolesFaults, type Administrator } from '../users.ts'

/** A token and its value, which is known only now. */
export interface Issued {
  readonly written: Written
  readonly value: string
}

export interface Tokens {
  create(caller: Caller, by: Administrator, body: Json): Promise<Issued>
  /** By an administrator, or by the token itself, told by its newest value. @throws Forbidden for an older one */
  rotate(caller: Caller, by: Administrator, key: string, body: Json | undefined): Promise<Issued>
  revoke(
    caller: Caller,
    by: Administrator,
    change: { readonly key: string; readonly expected?: ExpectedVersion | undefined },
  ): Promise<Written>
}

export interface TokensOptions {
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'create' | 'update' | 'remove'>
  readonly places: TokenPlaces
  readonly sealer: Pick<Sealer, 'derive'>
  readonly roleNames: (company: Company) => Promise<ReadonlySet<string>>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const DAY_MS = 86_400_000
const LIFETIME_DAYS = { usual: 90, shortest: 1, longest: 365 }
/** What a clock that differs a little may ask for beyond that. */
const TOLERANCE_MS = 300_000
const OVERLAP_MS = DAY_MS
const ATTEMPTS = 5

export function tokens(options: TokensOptions): Tokens {
  const { states, write, places, sealer, roleNames, now } = options

  const liveToken = async (company: Company, key: string): Promise<RecordState> => {
    const state = isKeyOf('token', key) ? await states.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`there is no token ${key.slice(0, 100)}`)
    return state
  }

  /** A new value: the same again where the request may be run again, as only its first answer may be lost. */
  const valueFor = ({ repeatedFrom, command }: Caller) =>
    newTokenValue(repeatedFrom === undefined ? undefined : { command, key: sealer.derive('token-values') })

  /** Whom the tokens stand for that this administrator makes. */
  const ownerOf = async (company: Company, { actor }: Administrator): Promise<string | undefined> => {
    if (isKeyOf('user', actor)) return actor
    return (await states.load(company, actor)).fields['Owner'] as string | undefined
  }

  /** Made before it is known whether the token comes to be: it leads nowhere then. */
  const point = (caller: Caller, value: string, key: string) =>
    places.point(
      tokenHash(value),
      { company: caller.company, key },
      { command: caller.command, at: new Date(now()).toISOString() },
    )

  return {
    async create(first, by, body) {
      const sent = membersOf(body, ['Name', 'Roles', 'Scopes', 'ExpiresAt'])
      const time = first.repeatedFrom ?? now()
      const faults: Fault[] = []
      if (sent['Roles'] !== undefined && sent['Scopes'] !== undefined)
        faults.push({ Field: 'Scopes', Message: 'is another word for Roles: send one of them' })
      const roles = sent['Roles'] ?? sent['Scopes'] ?? null
      if (roles === null) faults.push({ Field: 'Roles', Message: 'is required' })
      else faults.push(...rolesFaults(roles, await roleNames(first.company)))
      const expiresAt = expiryOf(sent['ExpiresAt'] ?? null, time, faults)
      const named = sent['Name'] === undefined ? {} : { Name: sent['Name'] }
      const found = faultsOf(() => createRecord({ definition: tokenObject, body: named, today: undefined }))
      faults.push(...found.filter(({ Field }) => Field === 'Name'))
      if (faults.length > 0) throw new Invalid('this is no valid token', faults)
      checkGrant(by, roles as string[])

      const value = valueFor(first)
      const owner = await ownerOf(first.company, by)
      const fields = {
        ...named,
        Roles: roles,
        ExpiresAt: expiresAt,
        Hash: tokenHash(value),
        Hint: tokenHint(value),
        ...(owner !== undefined && { Owner: owner }),
      }
      createRecord({ definition: tokenObject, body: fields, today: undefined }) // throws what is wrong with it
      // Its Key must be known before it is created.
      const caller = { ...first, repeatedFrom: time }
      await point(caller, value, derivedKey('token', caller.command, time))
      return { written: await write.create(caller, { definition: tokenObject, body: fields }), value }
    },

    async rotate(caller, by, key, body) {
      const sent = membersOf(body ?? {}, ['ExpiresAt'])
      const value = valueFor(caller)
      const time = now()
      for (let attempt = 1; ; attempt++) {
        const state = await liveToken(caller.company, key)
        if (by.actor !== key) checkGrant(by, rolesOf(state.fields))
        // Whoever has stolen a value would otherwise renew it for ever. The very request that has replaced it may come again.
        else if (by.isReplaced && state.fields['Hash'] !== tokenHash(value))
          throw new Forbidden('this value has been replaced: the token is renewed by its newest only')
        const faults: Fault[] = []
        const expiresAt = expiryOf(sent['ExpiresAt'] ?? null, time, faults, lifetimeOf(state))
        if (faults.length > 0) throw new Invalid('this is no valid rotation', faults)
        await point(caller, value, key)
        const before = state.fields['Hash'] as string
        const rotated = {
          Hash: tokenHash(value),
          Hint: tokenHint(value),
          ExpiresAt: expiresAt,
          PreviousHash: before,
          PreviousUntil: secondsAt(time + OVERLAP_MS),
        }
        try {
          const change = { definition: tokenObject, key, body: rotated, writing: 'replace' } as const
          return { written: await write.update(caller, { ...change, expected: [state.version] }), value }
        } catch (error) {
          if (!(error instanceof PreconditionFailed)) throw error
          if (attempt === ATTEMPTS) throw new Conflict(`${key} is being changed by others; try again`)
        }
      }
    },

    async revoke(caller, by, { key, expected }) {
      const state = await liveToken(caller.company, key)
      if (by.actor !== key) checkGrant(by, rolesOf(state.fields))
      return write.remove(caller, { definition: tokenObject, key, expected })
    },
  }

  /** How many days the token was given when it was made or last rotated; about. */
  function lifetimeOf({ fields, modifiedAt, createdAt }: RecordState): number {
    const expires = fields['ExpiresAt']
    if (typeof expires !== 'string') return LIFETIME_DAYS.usual
    const from = fields['PreviousUntil']
      ? Date.parse(fields['PreviousUntil'] as string) - OVERLAP_MS
      : undefined
    const days = Math.round((Date.parse(expires) - (from ?? Date.parse(createdAt || modifiedAt))) / DAY_MS)
    return Math.min(Math.max(days, LIFETIME_DAYS.shortest), LIFETIME_DAYS.longest)
  }
}

function expiryOf(sent: Json, time: number, faults: Fault[], days: number = LIFETIME_DAYS.usual): string {
  if (sent === null) return secondsAt(time + days * DAY_MS)
  const timestamp = typeof sent === 'string' ? utcTimestamp(sent) : undefined
  const { shortest, longest } = LIFETIME_DAYS
  const ahead = timestamp === undefined ? Number.NaN : Date.parse(timestamp) - time
  const isRight = ahead >= shortest * DAY_MS - TOLERANCE_MS && ahead <= longest * DAY_MS + TOLERANCE_MS
  if (isRight) return timestamp!
  const Message =
    timestamp === undefined
      ? 'must be a timestamp, as YYYY-MM-DDThh:mm:ssZ'
      : `must be ${shortest} to ${longest} days from now`
  faults.push({ Field: 'ExpiresAt', Message })
  return ''
}

function secondsAt(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}
