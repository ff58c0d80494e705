/** What must hold between the settings that say where the service listens, and how. */
import { isIP } from 'node:net'

export interface ListeningSettings {
  readonly HOST: string
  readonly PORT: number
  readonly NOTIFICATION_PORT?: number | undefined
  readonly TLS_CERT?: string | undefined
  readonly TLS_KEY?: string | undefined
  readonly TRUST_PROXY?: number | readonly string[] | undefined
  /** The process has the notification-template service. */
  readonly notifies: boolean
}

const LAST_PORT = 65_535

/** What is wrong, beginning with the setting. */
export function listeningFault(settings: ListeningSettings): string | undefined {
  return portsFault(settings) ?? transportFault(settings)
}

/** Where the notification-template service listens; 0: any free port. */
export function notificationPort({
  PORT,
  NOTIFICATION_PORT,
}: Pick<ListeningSettings, 'PORT' | 'NOTIFICATION_PORT'>): number {
  return NOTIFICATION_PORT ?? (PORT === 0 ? 0 : PORT + 1)
}

function portsFault({ PORT, NOTIFICATION_PORT, notifies }: ListeningSettings): string | undefined {
  if (!notifies) return undefined
  if (NOTIFICATION_PORT === undefined && PORT === LAST_PORT)
    return `NOTIFICATION_PORT: must be set where PORT is ${LAST_PORT}: by default it is the port after PORT, and there is none`
  if (NOTIFICATION_PORT === PORT && PORT !== 0)
    return `NOTIFICATION_PORT: must be another port than PORT, which is ${PORT}, too`
  return undefined
}

/** Plain HTTP leaves the machine only through a known proxy (docs/interface.md#transport). */
function transportFault({ HOST, TLS_CERT, TLS_KEY, TRUST_PROXY }: ListeningSettings): string | undefined {
  if ((TLS_CERT === undefined) !== (TLS_KEY === undefined)) return 'TLS_CERT and TLS_KEY: one needs the other'
  if (TLS_CERT !== undefined || TRUST_PROXY !== undefined || isLoopback(HOST)) return undefined
  return (
    `HOST: plain HTTP is not served on ${HOST}, where others could read it. Set TLS_CERT and TLS_KEY; or, behind a proxy ` +
    'that ends the TLS, set TRUST_PROXY to its addresses; or leave HOST on loopback'
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
