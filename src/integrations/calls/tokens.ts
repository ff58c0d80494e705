/**
 * Access tokens, by OAuth 2 (RFC 6749, sections 4.4 and 6) or as sessions. One refresh of an integration goes on at a time. Where refresh tokens
 * rotate, the next one is stored before the access token that came with it is used: a process that dies loses none.
 */
import { createHash } from 'node:crypto'
import { ownEvent } from '../../commands/support/own-event.ts'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { Fields } from '../../domain/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { openCredentials, ownerOf, type Sealing } from '../credentials.ts'
import type { IntegrationDefinition, OAuth2, Session } from '../definition/integration-schema.ts'
import type { Integration } from '../integration.ts'
import type { AskForSession } from './ask-for-session.ts'
import { TokenRefused, type AskForToken, type GivenTokens } from './ask-for-token.ts'

export interface Tokens {
  /** @throws TokenRefused when a person has to connect again; Unavailable when there is none for now */
  access(integration: Integration, oauth2: OAuth2): Promise<string>
  /** The same, of a session. */
  session(
    integration: Integration,
    file: Pick<IntegrationDefinition, 'baseUrl'>,
    session: Session,
  ): Promise<string>
  /** The other system refuses it, whatever it said about its life. */
  spoil(integration: string, token: string): void
}

export interface TokensOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly sealing: Sealing
  readonly clock: Pick<Clock, 'now'>
  readonly newCommand: () => string
  readonly ask: AskForToken
  readonly askForSession: AskForSession
}

/** What is kept, sealed. */
interface Kept {
  readonly refresh: string
  readonly access?: string
  /** In ms since 1970. */
  readonly expires?: number
}

/** A token that is valid for less is not used. */
const SOON_MS = 60_000
/** How long one process has the refresh to itself. */
const LEASE_MS = 30_000

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export function tokens(options: TokensOptions): Tokens {
  const spoilt = new Map<string, string>()
  const granted = new Map<string, GivenTokens>()
  const underWay = new Map<string, Promise<string>>()
  const once = (name: string, work: () => Promise<string>): Promise<string> => {
    const running = underWay.get(name) ?? work().finally(() => underWay.delete(name))
    underWay.set(name, running)
    return running
  }
  const isUsable = (key: string, token: string | undefined, expires = Infinity) =>
    token !== undefined && spoilt.get(key) !== token && expires > options.clock.now() + SOON_MS

  return {
    spoil: (key, token) => void spoilt.set(key, token),
    access(integration, oauth2) {
      const { key, company, credentials: sealed } = integration
      const name = `${company} ${key} ${digestOf(sealed ?? '')}`
      return once(name, async () => {
        if (oauth2.grant === 'refresh_token')
          return renewed(options, integration, byRefreshToken(options, integration, oauth2), (kept) =>
            isUsable(key, kept.access, kept.expires),
          )
        const known = granted.get(key)
        if (known && isUsable(key, known.access, known.expires)) return known.access
        const given = await options.ask(integration, oauth2, undefined)
        granted.set(key, given)
        return given.access
      })
    },
    session(integration, file, session) {
      const { key, company, credentials: sealed } = integration
      const renewal = {
        given: sealed ?? '',
        refresh: '',
        ask: () => options.askForSession(integration, file, session),
      }
      return once(`${company} ${key} ${digestOf(sealed ?? '')}`, () =>
        renewed(options, integration, renewal, (kept) => isUsable(key, kept.access, kept.expires)),
      )
    },
  }
}

/** How the next token is got, and by what. */
interface Renewal {
  /** Once this is another, what was got by it counts for nothing. */
  readonly given: string
  /** What it begins with, where tokens are got by tokens. */
  readonly refresh: string
  readonly ask: (refresh: string) => Promise<GivenTokens>
}

function byRefreshToken({ sealing, ask }: TokensOptions, integration: Integration, oauth2: OAuth2): Renewal {
  const credentials = openCredentials(sealing, integration.company, integration.credentials)
  const given = credentials[oauth2.refreshToken ?? '']
  if (!given) throw new TokenRefused('it has no refresh token: connect it')
  return {
    given: given.value,
    refresh: given.value,
    ask: (refresh) => ask(integration, oauth2, refresh),
  }
}

async function renewed(
  { events, sealing, clock, newCommand }: TokensOptions,
  { company, key }: Integration,
  { given, refresh: first, ask }: Renewal,
  isUsable: (kept: Kept) => boolean,
): Promise<string> {
  const stream = `integrationtoken-${digestOf(`${company} ${key}`).slice(0, 40)}`
  const owner = ownerOf(company)
  const last = await events.last(company, stream)
  const { Sealed, Given, Until } = (last?.data ?? {}) as {
    readonly Sealed?: string
    readonly Given?: string
    readonly Until?: string
  }
  const from = digestOf(given).slice(0, 16)
  const kept: Kept =
    Sealed !== undefined && Given === from
      ? (JSON.parse(sealing.open(Sealed, owner)) as Kept)
      : { refresh: first }
  if (isUsable(kept)) return kept.access!
  if (Until !== undefined && Date.parse(Until) > clock.now())
    throw new Unavailable('another process gets a token for it')
  let version = last?.version ?? 0
  const store = async (type: string, tokens: Kept, more: Fields = {}) => {
    const data = {
      Integration: key,
      Given: from,
      Sealed: sealing.seal(JSON.stringify(tokens), owner),
      ...more,
    }
    const event = ownEvent({
      company,
      stream,
      type,
      data,
      now: clock.now(),
      command: newCommand(),
      name: 'refresh',
    })
    const appended = await appendIfFirst(events, { company, stream, expected: version, events: [event] })
    if (!appended) throw new Unavailable('another process gets a token for it')
    version += 1
  }
  const until = new Date(clock.now() + LEASE_MS).toISOString()
  await store('integrationtoken.refreshing', kept, { Until: until })
  try {
    const { access, expires, refresh = kept.refresh } = await ask(kept.refresh)
    await store('integrationtoken.refreshed', { refresh, access, expires })
    return access
  } catch (error) {
    // Nobody else has to wait for the lease to end.
    if (error instanceof TokenRefused) await store('integrationtoken.kept', kept)
    throw error
  }
}
