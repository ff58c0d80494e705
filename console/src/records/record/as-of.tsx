/** The record as it was: a slider with a mark for each change, and a moment that is typed. */
import { Alert, Button, Group, Slider, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ObjectSeen } from '../../api/objects.ts'
import { historyQuery } from '../../api/records.ts'
import { localMoment, utcMoment } from '../../shared/moments.ts'
import { timeText } from '../../shared/times.tsx'
import { useWords } from '../../words/words.tsx'

/** More marks than these would run into one another. */
const MOST_MARKS = 60

export interface AsOfProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  /** A version or a moment; undefined: now. */
  readonly asOf: string | undefined
  readonly onAsOf: (asOf: string | undefined) => void
}

export function AsOf({ object, recordKey, asOf, onAsOf }: AsOfProps) {
  const { t, language } = useWords()
  const entries = useQuery(historyQuery(object.Object, recordKey)).data ?? []
  const last = entries.at(-1)?.Version ?? 1
  const version = asOf === undefined ? last : /^\d+$/.test(asOf) ? Number(asOf) : versionAt(entries, asOf)
  const [dragged, setDragged] = useState(version)
  useEffect(() => setDragged(version), [version])
  const atOf = (one: number) => entries.find(({ Version }) => Version === one)?.At
  const shownAt = asOf !== undefined && !/^\d+$/.test(asOf) ? asOf : atOf(version)
  return (
    <>
      {last > 1 && (
        <Group gap="md" wrap="nowrap" align="center">
          <Slider
            flex={1}
            size="sm"
            min={1}
            max={last}
            step={1}
            value={dragged}
            onChange={setDragged}
            onChangeEnd={(one) => onAsOf(one === last ? undefined : String(one))}
            label={(one) => t('history.version', { version: one })}
            mx={30}
            marks={
              last <= MOST_MARKS ? Array.from({ length: last }, (_, index) => ({ value: index + 1 })) : []
            }
            thumbLabel={t('asOf.slider')}
          />
          <TextInput
            type="datetime-local"
            step={1}
            size="xs"
            visibleFrom="xs"
            aria-label={t('asOf.moment')}
            value={shownAt ? localMoment(shownAt) : ''}
            onChange={(event) => {
              const moment = utcMoment(event.currentTarget.value)
              if (moment !== undefined) onAsOf(moment)
            }}
          />
        </Group>
      )}
      {asOf !== undefined && (
        <Alert color="yellow" variant="light" py={6} role="status">
          <Group gap="xs">
            <Text size="sm">
              {t('asOf.banner', { moment: shownAt ? timeText(shownAt, language) : asOf })}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => onAsOf(undefined)}>
              {t('asOf.now')}
            </Button>
          </Group>
        </Alert>
      )}
    </>
  )
}

function versionAt(
  entries: readonly { readonly Version: number; readonly At: string }[],
  moment: string,
): number {
  const at = Date.parse(moment)
  return entries.findLast(({ At }) => Date.parse(At) <= at)?.Version ?? 1
}
