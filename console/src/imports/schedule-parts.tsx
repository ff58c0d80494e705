/** How a schedule stands, and what can be done with it: run at once, or look at what a run would take. */
import { Alert, Badge, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runSchedule, schedulesQuery, trySchedule, type Schedule } from '../api/kept-imports.ts'
import { done } from '../shared/notify.ts'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

export function ScheduleHealth({ schedule }: { readonly schedule: Schedule }) {
  const { t } = useWords()
  const { IsActive, OverdueSince, Health, LastRun } = schedule
  const state = !IsActive ? 'off' : OverdueSince !== null ? 'Overdue' : (Health ?? 'new')
  const color = { off: 'gray', new: 'gray', Ok: 'teal', Missed: 'yellow', Failed: 'red', Overdue: 'orange' }[
    state
  ]
  const [trouble] = LastRun?.Troubles ?? []
  const why = typeof trouble === 'string' ? trouble : trouble?.Message
  return (
    <>
      <Badge className="state" variant="dot" color={color}>
        {t(`scheduleState.${state}`)}
      </Badge>
      {why !== undefined && (
        <Text size="xs" className="cell">
          {why}
        </Text>
      )}
    </>
  )
}

export function ScheduleActions({
  schedule: { Id, Name },
  onDelete,
}: {
  readonly schedule: Schedule
  readonly onDelete: () => void
}) {
  const { t, number } = useWords()
  const queries = useQueryClient()
  const running = useMutation({
    mutationFn: () => runSchedule(Id),
    onSuccess: async () => {
      done(t('schedules.runs'))
      await queries.invalidateQueries({ queryKey: schedulesQuery.queryKey })
    },
  })
  const looking = useMutation({ mutationFn: () => trySchedule(Id) })
  const { data: look } = looking
  return (
    <Group gap={4} wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('schedules.runOf', { name: Name })}
        loading={running.isPending}
        onClick={() => running.mutate()}
      >
        {t('schedules.run')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('schedules.tryOf', { name: Name })}
        loading={looking.isPending}
        onClick={() => looking.mutate()}
      >
        {t('schedules.try')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('kept.deleteOf', { name: Name })}
        onClick={onDelete}
      >
        {t('record.delete')}
      </Button>
      {running.error && <Trouble error={running.error} />}
      <Modal
        opened={look !== undefined || looking.error !== null}
        onClose={() => looking.reset()}
        title={t('schedules.wouldTake')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Stack gap="sm">
          {looking.error && <Trouble error={looking.error} />}
          {look?.Message !== undefined && (
            <Alert color="yellow" variant="light">
              {look.Message}
            </Alert>
          )}
          {look?.HostKey && (
            <>
              <Text size="sm">{t('schedules.hostKey')}</Text>
              <Code block>{look.HostKey}</Code>
            </>
          )}
          {look && look.Takes.length === 0 && <Text size="sm">{t('schedules.noFiles')}</Text>}
          {look && look.Takes.length > 0 && (
            <ul>
              {look.Takes.map(({ Name: file, Bytes }) => (
                <li key={file}>{t('schedules.file', { file, bytes: number(Bytes) })}</li>
              ))}
            </ul>
          )}
          {look && look.PassesOver.length > 0 && (
            <Text size="sm" c="dimmed">
              {t('schedules.passesOver', { files: look.PassesOver.map(({ Name: file }) => file).join(', ') })}
            </Text>
          )}
        </Stack>
      </Modal>
    </Group>
  )
}
