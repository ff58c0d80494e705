/**
 * API tokens: made with no more roles than their maker has, valid for a bounded time, rotated with a day in which the old
 * value still works, revoked at once (docs/identity.md).
 *
 * A token that a user makes stands for that user: it may do no more than the user may at that moment, and nothing once the
 * user is gone. A token made by such a token stands for the same user.
 */
import type { Caller } from '../../commands/command.ts'
import { createRecord } from '../../commands/create-record.ts'
import { derivedKey } from '../../commands/support/identifiers.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import {
  Conflict,
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
import { checkGrant, type Administrator, type KeyedChange } from '../administrator.ts'
import { rolesOf } from '../identity-state.ts'
import { token as tokenObject } from '../objects.ts'
import { readBody } from '../../shapes/body.ts'
import { tokenRotation } from '../bodies.ts'
import type { Sealer } from '../secrets/sealed-secrets.ts'
import { credentialFields } from './credential-fields.ts'
import { expiryOf, lifetimeOf, overlapEnd } from './lifetime.ts'
import { newTokenValue, tokenHash, tokenHint, type TokenPlaces } from './token-values.ts'

/** A token and its value, which is known only now. */
export interface Issued {
  readonly written: Written
  readonly value: string
}

export interface TokensOptions {
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'create' | 'update' | 'remove' | 'doneBefore'>
  readonly places: TokenPlaces
  readonly sealer: Pick<Sealer, 'derive'>
  readonly roleNames: (company: Company) => Promise<ReadonlySet<string>>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const ATTEMPTS = 5

export class Tokens {
  readonly #options: TokensOptions

  constructor(options: TokensOptions) {
    this.#options = options
  }

  /** @throws Invalid, Forbidden (a role that the administrator does not have) */
  async create(first: Caller, by: Administrator, body: Json): Promise<Issued> {
    const now = this.#options.now()
    const done = await this.#options.write.doneBefore(first, tokenObject.object)
    if (done) return { written: done, value: this.#valueFor(first) }
    const roleNames = await this.#options.roleNames(first.company)
    const named = credentialFields(body, { definition: tokenObject, roleNames, time: now })
    checkGrant(by, named.Roles)
    const value = this.#valueFor(first)
    const fields = {
      ...named,
      Hash: tokenHash(value),
      Hint: tokenHint(value),
      ...(isKeyOf('user', by.person) && { Owner: by.person }),
    }
    createRecord({ definition: tokenObject, body: fields, today: undefined }) // throws what is wrong with it
    // Its Key must be known before it is created.
    const received = first.repeatedFrom ?? now
    const caller = { ...first, repeatedFrom: received }
    await this.#point(caller, value, derivedKey('token', caller.command, received))
    const written = await this.#options.write.create(caller, { definition: tokenObject, body: fields })
    return { written, value }
  }

  /**
   * Gives the token a new value. For administrators, and for the token itself by its newest value. Of several rotations
   * that begin with the same value one succeeds.
   * @throws Invalid, NotFound, Forbidden (a value that has been replaced), Conflict (rotated by another request meanwhile)
   */
  async rotate(caller: Caller, by: Administrator, key: string, body: Json | undefined): Promise<Issued> {
    const { ExpiresAt = null } = readBody(tokenRotation, body ?? {}, 'The rotation is not valid.')
    const value = this.#valueFor(caller)
    const done = await this.#options.write.doneBefore(caller, key)
    if (done) return { written: done, value }
    const hash = tokenHash(value)
    const time = this.#options.now()
    let first: Json | undefined
    for (let attempt = 1; ; attempt++) {
      const state = await this.#liveToken(caller.company, key)
      const current = state.fields['Hash']
      // When this very request was run before, it finds its own value.
      if (current !== hash) {
        checkMayRotate(by, key, state)
        if ((first ??= current) !== current)
          throw new Conflict('The token has been rotated by another request.')
      }
      const faults: Fault[] = []
      const expiresAt = expiryOf(ExpiresAt, time, faults, lifetimeOf(state))
      if (faults.length > 0) throw new Invalid('The rotation is not valid.', faults)
      await this.#point(caller, value, key)
      const rotated = {
        Hash: hash,
        Hint: tokenHint(value),
        ExpiresAt: expiresAt,
        PreviousHash: current!,
        PreviousUntil: overlapEnd(time),
      }
      const change = { definition: tokenObject, key, body: rotated, writing: 'replace' } as const
      try {
        const written = await this.#options.write.update(caller, { ...change, expected: [state.version] })
        return { written, value }
      } catch (error) {
        if (!(error instanceof PreconditionFailed)) throw error
        if (attempt === ATTEMPTS) throw new Conflict(`${key} is being changed by others; try again.`)
      }
    }
  }

  /** @throws NotFound, PreconditionFailed, Forbidden */
  async revoke(caller: Caller, by: Administrator, { key, expected }: KeyedChange): Promise<Written> {
    const done = await this.#options.write.doneBefore(caller, key)
    if (done) return done
    const state = await this.#liveToken(caller.company, key)
    if (by.actor !== key) checkGrant(by, rolesOf(state.fields))
    return this.#options.write.remove(caller, { definition: tokenObject, key, expected })
  }

  async #liveToken(company: Company, key: string): Promise<RecordState> {
    const state = isKeyOf('token', key) ? await this.#options.states.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`Token ${key.slice(0, 100)} does not exist.`)
    return state
  }

  /** A new value; the same one again where the request may have been run before, for its first answer may be lost. */
  #valueFor({ repeatedFrom, command }: Caller): string {
    if (repeatedFrom === undefined) return newTokenValue()
    return newTokenValue({ command, key: this.#options.sealer.derive('token-values') })
  }

  /** Done before it is certain that the token gets the value: until then it leads to no valid token. */
  #point({ company, command }: Caller, value: string, key: string): Promise<void> {
    return this.#options.places.point(
      tokenHash(value),
      { company, key },
      { command, now: this.#options.now() },
    )
  }
}

/** @throws Forbidden */
function checkMayRotate(by: Administrator, key: string, { fields }: RecordState): void {
  if (by.actor !== key) checkGrant(by, rolesOf(fields))
  // A stolen value that has been replaced could otherwise be renewed for ever.
  else if (by.tokenHash !== fields['Hash'])
    throw new Forbidden('This value has been replaced. Only the newest value can rotate the token.')
}
