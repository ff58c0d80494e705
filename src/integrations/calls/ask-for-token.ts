/** Asks a token address for tokens. */
import { Unavailable } from '../../domain/errors.ts'
import { isObject, type Json } from '../../domain/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpSender } from '../../ports/http-sender.ts'
import { checkUrl, type AddressRules } from '../../webhooks/addresses.ts'
import { openCredentials, validValues, type Sealing } from '../credentials.ts'
import type { OAuth2 } from '../definition/integration-schema.ts'
import type { Integration } from '../integration.ts'

/** The other system does not take what it was given before: somebody has to connect it again. */
export class TokenRefused extends Error {}

export interface GivenTokens {
  readonly access: string
  /** In ms since 1970. */
  readonly expires: number
  /** The next one, where they rotate. */
  readonly refresh?: string
}

/** @throws TokenRefused, Unavailable */
export type AskForToken = (
  integration: Integration,
  oauth2: OAuth2,
  refreshToken: string | undefined,
) => Promise<GivenTokens>

export interface AskForTokenOptions {
  readonly sender: HttpSender
  readonly rules: AddressRules
  readonly sealing: Sealing
  readonly clock: Pick<Clock, 'now'>
}

const BOUNDS = { timeoutMs: 20_000, maxReplyBytes: 65_536 }
/** Of a token that does not say how long it lives. */
const LIFE_S = 300

export function askForToken({ sender, rules, sealing, clock }: AskForTokenOptions): AskForToken {
  return async (integration, oauth2, refreshToken) => {
    const url = integration.tokenUrl ?? oauth2.tokenUrl
    const checked = checkUrl(url, rules)
    if (typeof checked === 'string') throw new TokenRefused(`the token address ${checked}`)
    const credentials = openCredentials(sealing, integration.company, integration.credentials)
    const value = (name: string) => validValues(credentials, name, clock.now())[0] ?? ''
    const [user, password] = [value(oauth2.clientId), value(oauth2.clientSecret)].map(encodeURIComponent)
    const body = new URLSearchParams({
      grant_type: oauth2.grant,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(oauth2.scope !== undefined && { scope: oauth2.scope }),
    })
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    }
    const outcome = await sender.post({ url, headers, body: String(body), isSentOnce: true, ...BOUNDS })
    if ('error' in outcome) throw new Unavailable(`the token address gives no answer: ${outcome.error}`)
    const answer = parsed(outcome.body)
    if (outcome.status === 400 || outcome.status === 401 || outcome.status === 403) {
      const why = typeof answer['error'] === 'string' ? answer['error'].slice(0, 100) : String(outcome.status)
      throw new TokenRefused(`the other system refuses a token (${why}): connect it again`)
    }
    const { access_token: access, expires_in: life, refresh_token: refresh } = answer
    if (outcome.status !== 200 || typeof access !== 'string' || access === '')
      throw new Unavailable(`the token address answers ${outcome.status} without a token`)
    const seconds = Number(life ?? LIFE_S)
    return {
      access,
      expires: clock.now() + (Number.isFinite(seconds) ? seconds : LIFE_S) * 1_000,
      ...(typeof refresh === 'string' && refresh !== '' && { refresh }),
    }
  }
}

function parsed(text: string): { readonly [name: string]: Json } {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}
