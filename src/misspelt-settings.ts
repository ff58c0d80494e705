/** Variables of the environment that were probably meant as settings. */
import { SETTING_NAMES } from './config.ts'

/** Names in the environment that look like a setting but name no setting, with the setting that was meant, if one is near. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const letters = (name: string) => [...name].sort().join('')
  return Object.keys(environment).flatMap((name) => {
    if (SETTING_NAMES.includes(name) || OF_SCRIPTS.has(name)) return []
    const meant = SETTING_NAMES.find((one) => letters(one) === letters(name) || isOneOff(name, one))
    if (meant !== undefined) return [`${name}: did you mean ${meant}?`]
    return OURS.test(name) ? [`${name}: there is no such setting`] : []
  })
}

const OURS = /^(BOOTSTRAP|WEBHOOKS?|DAYBOOK|TLS|DKIM)_/
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
