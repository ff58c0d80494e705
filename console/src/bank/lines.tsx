/**
 * The lines of an account, one of which is looked at. Arrow keys go through them, Enter goes to what the one may be for;
 * when it is decided on, the next one is there.
 */
import { Badge, Button, Grid, Group, NativeSelect, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import { LINE_STATES, linesQuery, type LineState } from '../api/bank.ts'
import { textIn, type Record_ } from '../api/records.ts'
import type { Search } from '../app/search.ts'
import { isMoney, moneyText } from '../records/values/value.tsx'
import { Nothing, PageLoading } from '../shared/page.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { dateText } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { WordsInput } from '../shared/words-input.tsx'
import { useWords } from '../words/words.tsx'
import { LineDetails } from './line-details.tsx'

const COLORS: Readonly<Record<LineState, string>> = {
  Unmatched: 'gray',
  Proposed: 'yellow',
  PartlyMatched: 'orange',
  Matched: 'teal',
  Ignored: 'gray',
}
const SHOWN = ['open', 'all', ...LINE_STATES] as const

export interface LinesProps {
  readonly account: string
  readonly search: Search
  readonly onShow: (search: Search) => void
}

export function Lines({ account, search, onShow }: LinesProps) {
  const { t } = useWords()
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false })
  const list = useRef<HTMLUListElement>(null)
  const state = SHOWN.find((one) => one === search.state) ?? 'open'
  const lines = useQuery(linesQuery(account, { state, search: search.search, page: search.page }))
  const records = lines.data?.records ?? []
  const at = records.findIndex(({ Id }) => Id === search.line)
  // Where there is room for both, one is always looked at.
  const line = records[at] ?? (isNarrow ? undefined : records[0])
  const show = (next: Search) => onShow({ ...search, line: undefined, ...next })
  const onDecided = () => {
    const next = records[records.findIndex(({ Id }) => Id === line?.Id) + 1]
    show({ line: isNarrow ? undefined : next?.Id })
    list.current?.focus()
  }
  const isAlone = isNarrow === true && line !== undefined
  return (
    <Grid gap="md">
      {!isAlone && (
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Group gap="xs" align="flex-end" mb="xs">
            <NativeSelect
              size="xs"
              aria-label={t('users.state')}
              data={SHOWN.map((value) => ({ value, label: t(`lineState.${value}`) }))}
              value={state}
              onChange={({ currentTarget: { value } }) => show({ state: value, page: undefined })}
            />
            <WordsInput words={search.search} onWords={(words) => show({ search: words, page: undefined })} />
          </Group>
          {lines.error && <Trouble error={lines.error} onRetry={() => void lines.refetch()} />}
          {lines.isPending && <PageLoading />}
          {lines.data && records.length === 0 && (
            <Nothing>{t(state === 'open' && !search.search ? 'bank.allDecided' : 'bank.noLines')}</Nothing>
          )}
          {records.length > 0 && (
            <LineList
              listRef={list}
              lines={records}
              chosen={line?.Id}
              onChoose={(Id) => show({ line: Id })}
            />
          )}
          <TurnPages pagination={lines.data?.pagination} onPage={(page) => show({ page })} />
        </Grid.Col>
      )}
      {line && (
        <Grid.Col span={{ base: 12, md: 6 }}>
          {isAlone && (
            <Button
              size="xs"
              variant="default"
              mb="xs"
              leftSection={<IconArrowLeft size={14} aria-hidden />}
              onClick={() => show({})}
            >
              {t('bank.toLines')}
            </Button>
          )}
          <LineDetails key={line.Id} line={line} onDecided={onDecided} />
        </Grid.Col>
      )}
    </Grid>
  )
}

interface LineListProps {
  readonly listRef: React.RefObject<HTMLUListElement | null>
  readonly lines: readonly Record_[]
  readonly chosen: string | undefined
  readonly onChoose: (line: string) => void
}

function LineList({ listRef, lines, chosen, onChoose }: LineListProps) {
  const { t } = useWords()
  useEffect(() => {
    if (chosen) document.getElementById(`line-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const onKeyDown = (event: KeyboardEvent) => {
    const at = lines.findIndex(({ Id }) => Id === chosen)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      onChoose(lines[Math.min(Math.max(to, 0), lines.length - 1)]!.Id)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      document.getElementById('line-details')?.focus()
    }
  }
  return (
    <ul
      ref={listRef}
      className="line-list"
      role="listbox"
      tabIndex={0}
      aria-label={t('bankTab.lines')}
      {...(chosen && { 'aria-activedescendant': `line-${chosen}` })}
      onKeyDown={onKeyDown}
    >
      {lines.map((line) => (
        <LineOption key={line.Id} line={line} isChosen={line.Id === chosen} onChoose={onChoose} />
      ))}
    </ul>
  )
}

interface LineOptionProps {
  readonly line: Record_
  readonly isChosen: boolean
  readonly onChoose: (line: string) => void
}

function LineOption({ line, isChosen, onChoose }: LineOptionProps) {
  const { language } = useWords()
  const { Id, Amount, Status } = line
  const [name, said, day] = ['CounterpartyName', 'RemittanceInformation', 'BookingDate'].map((field) =>
    textIn(line, field),
  )
  return (
    <li id={`line-${Id}`} role="option" aria-selected={isChosen} onClick={() => onChoose(Id)}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={500} className="one-line">
          {name ?? said ?? '–'}
        </Text>
        <Text size="sm" className="number one-line" fw={500}>
          {isMoney(Amount) ? moneyText(Amount, language) : '–'}
        </Text>
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="xs" c="dimmed" className="one-line">
          {[day && dateText(day, language), name && said].filter(Boolean).join(' · ')}
        </Text>
        <LineStateBadge state={Status as LineState | null | undefined} />
      </Group>
    </li>
  )
}

/** A line that was written by hand may have no state yet. */
export function LineStateBadge({ state }: { readonly state: LineState | null | undefined }) {
  const { t } = useWords()
  const known = state ?? 'Unmatched'
  return (
    <Badge className="state" variant="dot" size="sm" color={COLORS[known]}>
      {t(`lineState.${known}`)}
    </Badge>
  )
}
