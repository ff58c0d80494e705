/**
 * Requests of an integration to the other system: to allowed addresses only, authenticated as its file says, no faster than it
 * allows, bounded in time and size. What comes back is judged by who asks.
 */
import { Unavailable } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpSender } from '../../ports/http-sender.ts'
import { checkUrl, type AddressRules } from '../../webhooks/addresses.ts'
import { retryAfterMs } from '../../webhooks/schedule.ts'
import { openCredentials, validValues, type Sealing } from '../credentials.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Integration } from '../integration.ts'
import { multistatusJson, readMultistatus, UnreadableAnswer } from '../webdav/multistatus.ts'
import { TokenRefused } from './ask-for-token.ts'
import type { Answered, Called, Calls, FilledRequest } from './call.ts'
import type { Pace } from './pace.ts'
import type { Tokens } from './tokens.ts'

export interface CallsOptions {
  readonly sender: HttpSender
  readonly rules: AddressRules
  readonly tokens: Tokens
  readonly pace: Pace
  readonly sealing: Sealing
  readonly clock: Pick<Clock, 'now'>
  readonly userAgent: string
}

const BOUNDS = { timeoutMs: 30_000, maxReplyBytes: 8 * 1_048_576 }
/** After a 429 that does not say for how long. */
const PATIENCE_MS = 30_000
/** Tokens are being got elsewhere, or the token address is away. */
const TOKEN_MS = 2_000

export function calls(options: CallsOptions): Calls {
  return {
    async call(integration, file, request, begin) {
      const url = urlOf(options.rules, integration, file, request.path)
      if (url.fault !== undefined) return { kind: 'refused', detail: url.fault }
      try {
        const first = await attempt(options, { integration, file, request, url: url.text, begin })
        // A token may end before its time; what was refused for it was not done.
        const isStale = first.kind === 'answered' && first.status === 401
        if (!isStale || first.token === undefined) return first
        options.tokens.spoil(integration.key, first.token)
        return await attempt(options, { integration, file, request, url: url.text })
      } catch (error) {
        if (error instanceof TokenRefused) return { kind: 'refused', detail: error.message }
        if (error instanceof Unavailable) return { kind: 'held', ms: TOKEN_MS, detail: error.message }
        throw error
      }
    },
  }
}

interface Attempt {
  readonly integration: Integration
  readonly file: IntegrationDefinition
  readonly request: FilledRequest
  readonly url: string
  readonly begin?: (() => Promise<boolean>) | undefined
}

async function attempt(
  options: CallsOptions,
  { integration, file, request, url, begin }: Attempt,
): Promise<Called & { readonly token?: string | undefined }> {
  const { sender, pace, clock, userAgent } = options
  const { token, ...authentication } = await authenticated(options, integration, file)
  const ms = pace.take(integration.key, file.rate)
  if (ms > 0) return { kind: 'held', ms, detail: 'held at the rate of the other system' }
  if (begin && !(await begin())) return { kind: 'held', ms: TOKEN_MS, detail: 'it has changed meanwhile' }
  const outcome = await sender.post({
    url,
    method: request.method,
    headers: { accept: 'application/json', 'user-agent': userAgent, ...request.headers, ...authentication },
    body: request.body ?? '',
    isSentOnce: true,
    ...BOUNDS,
  })
  if ('error' in outcome) return { kind: 'failed', detail: outcome.error, isUnclear: outcome.unsent !== true }
  const { status, headers, body } = outcome
  if (Buffer.byteLength(body) >= BOUNDS.maxReplyBytes)
    return { kind: 'failed', detail: 'the answer is larger than 8 MB', isUnclear: true }
  if (status === 429 || status === 503) {
    const asked = retryAfterMs(headers['retry-after'], clock.now())
    if (status === 429 || asked !== undefined) {
      pace.rest(integration.key, asked ?? PATIENCE_MS)
      return { kind: 'held', ms: asked ?? PATIENCE_MS, detail: `the other system answers ${status}` }
    }
  }
  return { kind: 'answered', headers, text: body, url, token, ...readAnswer(request.method, status, body) }
}

/** A 207 says of each thing what became of it: of what was to be changed, the worst holds. */
function readAnswer(method: string, status: number, text: string): Pick<Answered, 'status' | 'json'> {
  if (status !== 207 || text.startsWith('{')) return { status, json: jsonOf(text) }
  try {
    const resources = readMultistatus(text)
    const worst = Math.max(status, ...resources.map((one) => one.status))
    return { status: method === 'PROPFIND' ? status : worst, json: multistatusJson(resources) }
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error
    return { status, json: undefined }
  }
}

async function authenticated(
  { tokens, sealing, clock }: CallsOptions,
  integration: Integration,
  file: IntegrationDefinition,
): Promise<Record<string, string> & { token?: string }> {
  const { authentication } = file
  if (!authentication) return {}
  if ('oauth2' in authentication) {
    const token = await tokens.access(integration, authentication.oauth2)
    return { authorization: `Bearer ${token}`, token }
  }
  if ('session' in authentication) {
    const { session } = authentication
    const token = await tokens.session(integration, file, session)
    if (session.user === undefined) return { authorization: `Bearer ${token}`, token }
    const pair = Buffer.from(`${session.user}:${token}`).toString('base64')
    return { authorization: `Basic ${pair}`, token }
  }
  const credentials = openCredentials(sealing, integration.company, integration.credentials)
  const value = (name: string) => validValues(credentials, name, clock.now())[0] ?? ''
  if ('bearer' in authentication) return { authorization: `Bearer ${value(authentication.bearer)}` }
  if ('header' in authentication) return { [authentication.header]: value(authentication.secret) }
  const { user, password } = authentication.basic
  const pair = Buffer.from(`${value(user)}:${value(password)}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

/** The address below the base; a whole one, as answers give it, only of the same origin: credentials go nowhere else. */
function urlOf(
  rules: AddressRules,
  { baseUrl }: Integration,
  file: IntegrationDefinition,
  path: string,
): { readonly text: string; readonly fault?: undefined } | { readonly fault: string } {
  const base = (baseUrl ?? file.baseUrl)?.replace(/\/+$/, '')
  if (base === undefined) return { fault: 'it has no BaseUrl: set the address of the other system' }
  const text = path.startsWith('/') ? base + path : path
  const checked = checkUrl(text, rules)
  if (typeof checked === 'string') return { fault: `the address ${checked}` }
  if (checked.url.origin !== new URL(base).origin)
    return { fault: `the answer leads to ${checked.url.origin}, which is not where the integration goes` }
  return { text: checked.url.href }
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
