/** The list as it was at a moment. */
import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useState, type FormEvent } from 'react'
import { localMoment, utcMoment } from '../../shared/moments.ts'
import { timeText } from '../../shared/times.tsx'
import { useWords } from '../../words/words.tsx'
import { ListMenu } from './list-menu.tsx'
import type { GridProps } from './grid-props.ts'

export function AsOfMenu({ search, onSearch }: GridProps) {
  const { t, language } = useWords()
  const [moment, setMoment] = useState(() => localMoment(search.asOf ?? new Date().toISOString()))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch({ asOf: utcMoment(moment) })
  }
  if (search.asOf !== undefined)
    return (
      <Alert color="yellow" variant="light" py={4} px="xs" role="status">
        <Group gap="xs">
          {t('asOf.banner', { moment: timeText(search.asOf, language) })}
          <Button size="compact-xs" variant="default" onClick={() => onSearch({ asOf: undefined })}>
            {t('asOf.now')}
          </Button>
        </Group>
      </Alert>
    )
  return (
    <ListMenu title={t('asOf.title')} icon={IconHistory}>
      <form onSubmit={submit}>
        <Stack gap="xs">
          <TextInput
            type="datetime-local"
            step={1}
            size="xs"
            required
            label={t('asOf.moment')}
            value={moment}
            onChange={(event) => setMoment(event.currentTarget.value)}
          />
          <Button size="xs" type="submit">
            {t('asOf.show')}
          </Button>
        </Stack>
      </form>
    </ListMenu>
  )
}
