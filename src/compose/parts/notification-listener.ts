/** The port of the notification-template service, with the same transport, headers and limits as the API. */
import type { CommonHeaders } from '../../api/http/common-headers.ts'
import type { Origins } from '../../api/http/csrf.ts'
import { httpServer, type CertificateFiles } from '../../api/http/http-server.ts'
import type { CompanyLimits } from '../../api/http/limits/limited.ts'
import type { RateLimits } from '../../api/http/limits/rate-limits.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../api/operations/metrics.ts'
import type { Config } from '../../config.ts'
import { notificationPort } from '../../listening-settings.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Identity } from './identity.ts'
import type { Notifications } from './notifications.ts'

export interface ListenerParts {
  readonly config: Config
  readonly version: string
  readonly tls: CertificateFiles | undefined
  readonly headers: CommonHeaders
  readonly log: Log
  readonly clock: Clock
  readonly measured: Metrics
  readonly identity: Identity
  readonly notifications: Notifications
  readonly origins: Origins
  readonly rateLimits: RateLimits | undefined
  readonly companyLimits: CompanyLimits
  readonly notReady: () => string | undefined
}

/** Where it listens; undefined in a process without the role. @throws Error when the address cannot be had */
export async function listenForNotifications(
  parts: ListenerParts,
  closing: AsyncDisposableStack,
): Promise<string | undefined> {
  const { config, tls, headers, log, identity, notifications } = parts
  if (!config.ROLES.has('notifications')) return undefined
  const server = httpServer({ tls, log, headers: headers.plain, portSetting: 'NOTIFICATION_PORT' })
  const app = notifications.app({
    ...parts,
    metrics: parts.measured,
    everyRequest: ['trace', 'debug'].includes(config.LOG_LEVEL),
    commonHeaders: headers,
    authenticate: identity.authenticate,
    cookieDomain: config.COOKIE_DOMAIN,
    tls: tls !== undefined,
    trustProxy: config.TRUST_PROXY,
    url: () => config.NOTIFICATION_URL ?? server.url(),
  })
  closing.defer(() => server.drain())
  await server.listen({ app, port: notificationPort(config), host: config.HOST })
  return server.url()
}
