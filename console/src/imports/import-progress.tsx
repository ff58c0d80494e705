/** How far an import is and how long it will take; what it would do, or has done. */
import { Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { isUnderWay, type Import } from '../api/imports.ts'
import { useWords, type WordKey } from '../words/words.tsx'

export function ImportProgress({ whole }: { readonly whole: Import }) {
  const { t } = useWords()
  const figures = figuresOf(whole)
  return (
    <Stack gap="xs">
      {isUnderWay(whole) && <Bar whole={whole} />}
      {figures && (
        <Paper withBorder p="xs">
          <Text size="xs" c="dimmed" fw={600}>
            {t(figures.label)}
          </Text>
          <Group gap="lg" role="list">
            {figures.counts.map(({ label, count, isBad }) => (
              <Figure key={label} label={label} count={count} isBad={isBad} />
            ))}
          </Group>
        </Paper>
      )}
    </Stack>
  )
}

function Bar({ whole: { Progress: progress, Counts } }: { readonly whole: Import }) {
  const { t, number } = useWords()
  if (!progress)
    return (
      <Text size="sm" role="status">
        {t('imports.waits')}
      </Text>
    )
  const { Phase, Done, RowsPerSecond, SecondsLeft, Waiting } = progress
  const total = Counts.Rows
  return (
    <div>
      <Progress
        animated
        value={total > 0 && Phase !== 'read' ? (100 * Done) / total : 100}
        aria-label={t(`importPhase.${Phase}`)}
      />
      <Text size="sm" role="status">
        {[
          t(`importPhase.${Phase}`),
          total > 0 ? t('imports.done', { done: number(Done), total: number(total) }) : number(Done),
          ...(RowsPerSecond > 0 ? [t('imports.rate', { rate: number(Math.round(RowsPerSecond)) })] : []),
          ...(SecondsLeft === null ? [] : [t('imports.left', { time: timeLeft(SecondsLeft) })]),
          ...(Waiting === null ? [] : [Waiting]),
        ].join(' · ')}
      </Text>
    </div>
  )
}

/** `1:05:09`, `5:09`. */
export function timeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  return parts
    .slice(parts[0] === 0 ? 1 : 0)
    .map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0')))
    .join(':')
}

interface FigureProps {
  readonly label: WordKey
  readonly count: number
  readonly isBad?: boolean
}

function Figure({ label, count, isBad = false }: FigureProps) {
  const { t, number } = useWords()
  return (
    <div role="listitem">
      <Text
        size="xl"
        fw={600}
        c={isBad && count > 0 ? 'var(--mantine-color-error)' : undefined}
        style={{ fontVariantNumeric: 'tabular-nums' }}
      >
        {number(count)}
      </Text>
      <Text size="xs" c="dimmed">
        {t(label)}
      </Text>
    </div>
  )
}

function figuresOf({ Kind, CommittedAt, Counts, Check, State }: Import) {
  if (CommittedAt !== null || Counts.Done > 0) {
    const { Created, Updated, Unchanged, Skipped, Failed, Undone, Kept } = Counts
    const counts: readonly FigureProps[] = [
      ...(Kind === 'undo'
        ? ([
            { label: 'imports.Undone', count: Undone },
            { label: 'imports.Kept', count: Kept, isBad: true },
            { label: 'imports.Unchanged', count: Unchanged },
          ] as const)
        : ([
            { label: 'imports.Created', count: Created },
            { label: 'imports.Updated', count: Updated },
            { label: 'imports.Unchanged', count: Unchanged },
            { label: 'imports.Skipped', count: Skipped },
          ] as const)),
      { label: 'imports.Failed', count: Failed, isBad: true },
    ]
    return { label: State === 'Running' ? 'imports.soFar' : 'imports.result', counts } as const
  }
  if (!Check) return undefined
  const counts: readonly FigureProps[] = [
    ...(Kind === 'undo'
      ? ([
          { label: 'imports.wouldUndo', count: Check.WouldUndo },
          { label: 'imports.wouldKeep', count: Check.WouldKeep, isBad: true },
          { label: 'imports.Unchanged', count: Check.Unchanged },
        ] as const)
      : ([
          { label: 'imports.wouldCreate', count: Check.WouldCreate },
          { label: 'imports.wouldUpdate', count: Check.WouldUpdate },
          { label: 'imports.Unchanged', count: Check.Unchanged },
          { label: 'imports.Skipped', count: Check.Skipped },
        ] as const)),
    { label: 'imports.wouldFail', count: Check.WouldFail, isBad: true },
  ]
  return { label: 'imports.checked', counts } as const
}
