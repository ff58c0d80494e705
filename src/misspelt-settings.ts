/** Variables of the environment that were probably meant as settings. */
import { SETTING_NAMES } from './config.ts'

/** Names in the environment that look like a setting but name no setting, with the setting that was meant, if one is near. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const letters = (name: string) => [...name].sort().join('')
  return Object.keys(environment).flatMap((name) => {
    if (SETTING_NAMES.includes(name) || OF_SCRIPTS.has(name)) return []
    const other = OTHERS[name]
    const isSet = other !== undefined && (environment[other] ?? '') !== ''
    const meant =
      (isSet ? undefined : other) ??
      SETTING_NAMES.find((one) => letters(one) === letters(name) || isOneOff(name, one))
    if (meant !== undefined) return [`${name}: did you mean ${meant}?`]
    return OURS.test(name) ? [`${name}: there is no such setting`] : []
  })
}

const OURS = /^(BOOTSTRAP|WEBHOOKS?|DAYBOOK|TLS|DKIM)_/
/** What other services call what is set here: said only where the setting itself is not set. */
const OTHERS: Readonly<Record<string, string>> = {
  MONGO_URL: 'MONGODB_URL',
  MONGO_URI: 'MONGODB_URL',
  EVENTSTOREDB_URL: 'EVENTSTORE_URL',
  ESDB_URL: 'EVENTSTORE_URL',
  KURRENTDB_URL: 'EVENTSTORE_URL',
  RABBIT_URL: 'RABBITMQ_URL',
  AMQP_URL: 'RABBITMQ_URL',
  POSTGRES_URL: 'WAREHOUSE_URL',
  TRUST_PROXIES: 'TRUST_PROXY',
  TRUSTED_PROXY: 'TRUST_PROXY',
  TRUSTED_PROXIES: 'TRUST_PROXY',
  RATE_LIMIT: 'RATE_LIMIT_PER_MINUTE',
  SMTP_HOST: 'SMTP_URL',
  IMPORT_KEEP_DAYS: 'IMPORT_KEEP_FILES_DAYS',
}
/** What the command line reads (`clients/typescript`). */
const OF_SCRIPTS = new Set(['DAYBOOK_URL', 'DAYBOOK_TOKEN'])

/** One letter too many, too few or another; of short names that says nothing. */
function isOneOff(one: string, other: string): boolean {
  if (one.length < 6 || Math.abs(one.length - other.length) > 1) return false
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  const rest = (text: string, skip: number) => text.slice(same + skip)
  return rest(one, 1) === rest(other, 1) || rest(one, 1) === rest(other, 0) || rest(one, 0) === rest(other, 1)
}
