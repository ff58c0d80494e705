/** Asks another system for a session: a token that is made of credentials and ends by itself. */
import { Unavailable } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { checkUrl } from '../../webhooks/addresses.ts'
import { openCredentials, validValues } from '../credentials.ts'
import type { IntegrationDefinition, Session } from '../definition/integration-schema.ts'
import type { Integration } from '../integration.ts'
import { valueAt } from '../mapping/path.ts'
import { TokenRefused, type AskForTokenOptions, type GivenTokens } from './ask-for-token.ts'

/** @throws TokenRefused, Unavailable */
export type AskForSession = (
  integration: Integration,
  file: Pick<IntegrationDefinition, 'baseUrl'>,
  session: Session,
) => Promise<GivenTokens>

const BOUNDS = { timeoutMs: 20_000, maxReplyBytes: 65_536 }
const DAY_MS = 86_400_000
/** Of a session that does not say when it ends. */
const LIFE_MS = 300_000
/** A day begins so much earlier east of Greenwich. */
const FIRST_ZONE_MS = 14 * 3_600_000

export function askForSession({ sender, rules, sealing, clock }: AskForTokenOptions): AskForSession {
  return async (integration, file, session) => {
    const base = integration.tokenUrl ?? integration.baseUrl ?? file.baseUrl ?? ''
    if (base === '') throw new TokenRefused('it has no BaseUrl: set the address of the other system')
    const url = new URL(base.replace(/\/+$/, '') + session.path)
    const credentials = openCredentials(sealing, integration.company, integration.credentials)
    for (const [parameter, name] of Object.entries(session.parameters))
      url.searchParams.set(parameter, validValues(credentials, name, clock.now())[0] ?? '')
    if (session.until)
      url.searchParams.set(
        session.until.parameter,
        new Date(clock.now() + session.until.days * DAY_MS).toISOString().slice(0, 10),
      )
    const checked = checkUrl(url.href, rules)
    if (typeof checked === 'string') throw new TokenRefused(`the address of sessions ${checked}`)
    const headers = { Accept: 'application/json' }
    const { method } = session
    const outcome = await sender.post({
      url: url.href,
      method,
      headers,
      body: '',
      isSentOnce: true,
      ...BOUNDS,
    })
    if ('error' in outcome) throw new Unavailable(`the address of sessions gives no answer: ${outcome.error}`)
    const { status, body } = outcome
    if ([400, 401, 403, 404, 422].includes(status))
      throw new TokenRefused(`the other system refuses a session (${status}): check the credentials`)
    const answer = parsed(body)
    const access = valueAt(session.token, answer)
    if (status < 200 || status > 299 || typeof access !== 'string' || access === '')
      throw new Unavailable(`the address of sessions answers ${status} without a token`)
    return { access, expires: endOf(session.ends && valueAt(session.ends, answer), clock.now()) }
  }
}

/** A date alone: the token may end as soon as that day begins anywhere. */
function endOf(ends: Json | undefined, now: number): number {
  const at = typeof ends === 'string' ? Date.parse(ends) : Number.NaN
  if (Number.isNaN(at)) return now + LIFE_MS
  return /^\d{4}-\d{2}-\d{2}$/.test(ends as string) ? at - FIRST_ZONE_MS : at
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
