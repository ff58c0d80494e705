/** The filter as chips, each removable and, where it has a simple form, editable; or as the text of the API itself. */
import {
  ActionIcon,
  Badge,
  Button,
  CloseButton,
  Code,
  Group,
  Popover,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { IconCode, IconFilterPlus } from '@tabler/icons-react'
import { useState, type FormEvent } from 'react'
import type { ObjectSeen } from '../../api/objects.ts'
import { spacedPath } from '../../shared/names.ts'
import { useWords } from '../../words/words.tsx'
import { conditionsOf, joined, readCondition, writeCondition, type Condition } from '../filter/text.ts'
import { fieldAt } from '../values/value.tsx'
import { FilterEditor } from './filter-editor.tsx'
import type { GridProps } from './grid-props.ts'

export function FilterBar({ object, seen, search, onSearch }: GridProps) {
  const { t } = useWords()
  const conditions = conditionsOf(search.filter ?? '')
  const [edited, setEdited] = useState<number>()
  const [asText, setAsText] = useState(false)
  const set = (all: readonly string[]) => {
    setEdited(undefined)
    onSearch({ filter: all.length === 0 ? undefined : joined(all) })
  }
  const put = (index: number) => (condition: Condition) =>
    set([...conditions.slice(0, index), writeCondition(condition), ...conditions.slice(index + 1)])
  const editor = (index: number, condition: Condition | undefined) => (
    <FilterEditor
      object={object}
      objects={seen.Objects}
      condition={condition}
      onApply={put(index)}
      onCancel={() => setEdited(undefined)}
    />
  )
  if (asText)
    return (
      <FilterText
        filter={search.filter ?? ''}
        onFilter={(filter) => onSearch({ filter })}
        onClose={() => setAsText(false)}
      />
    )
  return (
    <Group gap={6} role="group" aria-label={t('filter.title')}>
      {conditions.map((text, index) => (
        <Badge
          key={`${index} ${text}`}
          size="lg"
          variant="light"
          maw="100%"
          rightSection={
            <CloseButton
              size="xs"
              aria-label={t('records.remove', { what: text })}
              onClick={() => set(conditions.filter((_, other) => other !== index))}
            />
          }
        >
          <Popover
            opened={edited === index}
            onChange={(opened) => setEdited(opened ? index : undefined)}
            trapFocus
            closeOnClickOutside={false}
            shadow="md"
          >
            <Chip text={text} object={object} objects={seen.Objects} onEdit={() => setEdited(index)} />
            <Popover.Dropdown aria-label={t('filter.title')}>
              {editor(index, readCondition(text))}
            </Popover.Dropdown>
          </Popover>
        </Badge>
      ))}
      <Popover
        opened={edited === conditions.length}
        onChange={(opened) => setEdited(opened ? conditions.length : undefined)}
        trapFocus
        // A value that is dragged out of the form must not close it.
        closeOnClickOutside={false}
        shadow="md"
        position="bottom-start"
      >
        <Popover.Target>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconFilterPlus size={14} aria-hidden />}
            onClick={() => setEdited(edited === conditions.length ? undefined : conditions.length)}
          >
            {t('filter.add')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('filter.add')}>
          {editor(conditions.length, undefined)}
        </Popover.Dropdown>
      </Popover>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('filter.text')}
        title={t('filter.text')}
        onClick={() => setAsText(true)}
      >
        <IconCode size={16} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

interface ChipProps {
  readonly text: string
  readonly object: ObjectSeen
  readonly objects: readonly ObjectSeen[]
  readonly onEdit: () => void
}

function Chip({ text, object, objects, onEdit }: ChipProps) {
  const { t } = useWords()
  const condition = readCondition(text)
  const isKnown = condition !== undefined && fieldAt(objects, object, condition.path) !== undefined
  // Without a target the popover is nowhere, and nothing opens it.
  if (!isKnown) return <Code fz="xs">{text}</Code>
  return (
    <Popover.Target>
      <UnstyledButton fz="sm" onClick={onEdit}>
        {spacedPath(condition.path)} {t(`filter.${condition.operator}`)} <b>{condition.value}</b>
      </UnstyledButton>
    </Popover.Target>
  )
}

interface FilterTextProps {
  readonly filter: string
  readonly onFilter: (filter: string | undefined) => void
  readonly onClose: () => void
}

function FilterText({ filter, onFilter, onClose }: FilterTextProps) {
  const { t } = useWords()
  const [text, setText] = useState(filter)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onFilter(text.trim() || undefined)
    onClose()
  }
  return (
    <form onSubmit={submit}>
      <Group gap={6} wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          aria-label={t('filter.text')}
          placeholder="MonthlyRent gt 1000 and contains(Tenant/Name, 'zoë')"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
          autoFocus
        />
        <Button size="xs" type="submit">
          {t('filter.apply')}
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
      </Group>
    </form>
  )
}
