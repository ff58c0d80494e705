/** Moments and dates as people read them, in the browser's time zone; the exact one shows on pointing. */
import { Text, Tooltip } from '@mantine/core'
import { localeOf, useWords, type Language } from '../words/words.tsx'

export function timeText(iso: string, language: Language): string {
  return new Date(iso).toLocaleString(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' })
}

export function dateText(iso: string, language: Language): string {
  return new Date(`${iso.slice(0, 10)}T00:00:00Z`).toLocaleDateString(localeOf(language), {
    dateStyle: 'medium',
    timeZone: 'UTC',
  })
}

/** A moment; a dash where it is missing. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  const { language } = useWords()
  if (!at) return <>–</>
  return (
    <Tooltip label={at}>
      <Text component="time" dateTime={at} size="sm" inherit style={{ whiteSpace: 'nowrap' }}>
        {timeText(at, language)}
      </Text>
    </Tooltip>
  )
}
