/**
 * Which principal a request comes from. All that decides it (token, session, user, company, roles) is judged in its present
 * state, for each request; an earlier verdict is used only while every one of those states is still the same.
 */
import { Unavailable } from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import { recentlyUsed, type RecentlyUsed } from '../domain/recently-used.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Access } from '../rights/access.ts'
import type { CompanyRoles } from './company-roles.ts'
import { sessionPrincipal, tokenPrincipal } from './credentials.ts'
import type { CurrentStates, StateSource } from './current-states.ts'
import { timeoutOf } from './identity-state.ts'
import type { Admitted, Authenticate, Principal } from './principal.ts'
import type { DatedTicket, SessionTickets } from './sessions/session-tickets.ts'
import { tokenHash, type TokenPlace, type TokenPlaces } from './tokens/token-values.ts'

export interface AuthenticateOptions {
  readonly current: CurrentStates
  readonly tickets: SessionTickets
  readonly places: Pick<TokenPlaces, 'find'>
  readonly accessOf: CompanyRoles['accessOf']
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A token was used at that time. */
  readonly used: (place: TokenPlace, token: Fields, time: number) => void
}

/** The verdict on a credential: right while all of this is unchanged. */
interface Verdict {
  readonly company: Company
  /** Keys of the records that decided it, and their states. */
  readonly of: readonly { readonly key: string; readonly state: RecordState }[]
  readonly principal: Principal
  /** Valid from and until these times, in ms since 1970. */
  readonly from: number
  readonly until: number
  /** With what the answer must carry at that time. */
  readonly admitted: (principal: Principal, time: number) => Admitted
}

/** A kind of credential: verdicts by its text, and how one is reached. */
interface Kind {
  readonly verdicts: RecentlyUsed<Verdict>
  judge(text: string, source: StateSource): Promise<Verdict | undefined>
}

const CAPACITY = 10_000
const DAY_MS = 86_400_000
/** In its last days every answer to a token says when it expires (docs/open-facts.md 25). */
const NEAR_DAYS = 14
/** A sliding session is renewed when this part of its time has passed. */
const RENEWED_AFTER = 0.1

export function authenticate(options: AuthenticateOptions): Authenticate {
  const authenticator = new Authenticator(options)
  return (credential, isRead) =>
    'bearer' in credential
      ? authenticator.admit(authenticator.tokens, credential.bearer, isRead)
      : authenticator.admit(authenticator.sessions, credential.cookie, isRead)
}

class Authenticator {
  readonly #options: AuthenticateOptions
  // By the credentials themselves: a text with a verdict need not be hashed.
  readonly tokens: Kind = {
    verdicts: recentlyUsed<Verdict>(CAPACITY),
    judge: (value, source) => this.#judgeToken(value, source),
  }
  readonly sessions: Kind = {
    verdicts: recentlyUsed<Verdict>(CAPACITY),
    judge: (text, source) => this.#judgeSession(text, source),
  }
  readonly #places = recentlyUsed<TokenPlace>(CAPACITY)
  readonly #tickets = recentlyUsed<DatedTicket>(CAPACITY)

  constructor(options: AuthenticateOptions) {
    this.#options = options
  }

  admit(kind: Kind, text: string, isRead: boolean): Admitted | undefined | Promise<Admitted | undefined> {
    const verdict = kind.verdicts.get(text)
    return (verdict && this.#asBefore(verdict)) ?? this.#judgeInTime(kind, text, isRead)
  }

  /** Undefined when something has changed, or is not at hand. */
  #asBefore({ company, of, principal, from, until, admitted }: Verdict) {
    const { current, accessOf, now } = this.#options
    const time = now()
    if (time < from || time >= until) return undefined
    for (const { key, state } of of) if (current.peek(company, key) !== state) return undefined
    const access = accessOf(company, principal.roles)
    if (access === principal.access) return admitted(principal, time)
    const enter = (changed: Access) => admitted({ ...principal, access: changed }, time)
    return access instanceof Promise ? access.then(enter) : enter(access)
  }

  async #judgeInTime(kind: Kind, text: string, isRead: boolean): Promise<Admitted | undefined> {
    const { current } = this.#options
    try {
      return await current.within(isRead ? 'read' : 'write', () => this.#judge(kind, text, current))
    } catch (error) {
      if (!isRead || !(error instanceof Unavailable)) throw error
      return this.#judge(kind, text, current.remembered)
    }
  }

  async #judge(kind: Kind, text: string, source: StateSource): Promise<Admitted | undefined> {
    const { accessOf, now } = this.#options
    const verdict = await kind.judge(text, source)
    const access = verdict && (await accessOf(verdict.company, verdict.principal.roles, source))
    const time = now()
    if (!verdict || !access || time < verdict.from || time >= verdict.until) {
      kind.verdicts.delete(text)
      return undefined
    }
    const principal = { ...verdict.principal, access }
    kind.verdicts.set(text, { ...verdict, principal })
    return verdict.admitted(principal, time)
  }

  async #judgeToken(value: string, source: StateSource): Promise<Verdict | undefined> {
    const hash = tokenHash(value)
    const place = await this.#placeOf(hash, source)
    if (!place) return undefined
    const { company, key } = place
    const [token, firm] = await Promise.all([source.load(company, key), source.load(company, company)])
    const ownerKey = token.fields['Owner']
    const owner = typeof ownerKey === 'string' ? await source.load(company, ownerKey) : undefined
    const found = tokenPrincipal({ hash, place, token, firm, owner })
    if (!found) return undefined
    const { until } = found
    return {
      ...found,
      company,
      of: [
        { key, state: token },
        { key: company, state: firm },
        ...(owner ? [{ key: ownerKey as string, state: owner }] : []),
      ],
      admitted: (principal, time) => {
        this.#options.used(place, token.fields, time)
        return until - time < NEAR_DAYS * DAY_MS
          ? { principal, until, tokenExpires: until }
          : { principal, until }
      },
    }
  }

  async #judgeSession(text: string, source: StateSource): Promise<Verdict | undefined> {
    const { tickets } = this.#options
    const hash = tokenHash(text)
    const ticket = this.#tickets.get(hash) ?? tickets.read(text)
    if (!ticket) return undefined
    this.#tickets.set(hash, ticket)
    const { company, user: userKey, session: sessionKey } = ticket
    const [session, firm, user] = await Promise.all([
      source.load(company, sessionKey),
      source.load(company, company),
      source.load(company, userKey),
    ])
    const found = sessionPrincipal({ ticket, session, firm, user })
    if (!found) return undefined
    const minutes = timeoutOf(firm.fields)
    const slides = firm.fields['SessionRenewal'] !== 'Fixed'
    const { until } = found
    return {
      ...found,
      company,
      of: [
        { key: sessionKey, state: session },
        { key: company, state: firm },
        { key: userKey, state: user },
      ],
      admitted: (principal, time) => {
        const isOld = time - ticket.issuedAt > minutes * 60_000 * RENEWED_AFTER
        return isOld && slides
          ? { principal, until, renewed: tickets.issue(ticket, minutes) }
          : { principal, until }
      },
    }
  }

  /** A token never moves, so a place that was found once is not looked for again. */
  async #placeOf(hash: string, source: StateSource): Promise<TokenPlace | undefined> {
    const known = this.#places.get(hash)
    if (known) return known
    const place = await source.ask(() => this.#options.places.find(hash))
    if (place) this.#places.set(hash, place)
    return place
  }
}
