/** Mappings with names, and schedules that pick files up by them. */
import { Button, Modal, Stack, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteProfile,
  deleteSchedule,
  profilesQuery,
  schedulesQuery,
  type Profile,
  type Schedule,
} from '../api/kept-imports.ts'
import { mayDo, useSeen } from '../api/objects.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Listing } from '../shared/listing.tsx'
import { spaced } from '../shared/names.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { ScheduleActions, ScheduleHealth } from './schedule-parts.tsx'

type Gone =
  { readonly kind: 'profile'; readonly one: Profile } | { readonly kind: 'schedule'; readonly one: Schedule }

export function KeptImportsPage() {
  const { t } = useWords()
  const queries = useQueryClient()
  const seen = useSeen()
  const administers = seen?.Actions.includes('administer') === true
  const profiles = useQuery(profilesQuery)
  const schedules = useQuery({ ...schedulesQuery, enabled: administers })
  const [making, setMaking] = useState(false)
  const [gone, setGone] = useState<Gone>()
  if (!seen) return <PageLoading />
  const nameOf = (name: string) => spaced(seen.Objects.find(({ Object }) => Object === name)?.Name ?? name)
  const profileOf = (key: string | null) => profiles.data?.find(({ Id }) => Id === key)?.Name ?? key ?? '–'
  return (
    <Page
      title={t('kept.title')}
      text={t('kept.text')}
      actions={
        administers && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
            {t('schedules.new')}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Title order={2}>{t('profiles.title')}</Title>
        <Listing
          label={t('profiles.title')}
          query={profiles}
          nothing={t('profiles.nothing')}
          keyOf={({ Id }) => Id}
          columns={[
            { title: t('tokens.name'), of: ({ Name }) => <span className="cell">{Name}</span> },
            { title: t('audit.object'), of: ({ Object }) => nameOf(Object) },
            {
              title: t('profiles.mode'),
              of: ({ Mapping }) => ('Mode' in Mapping ? t(`importMode.${Mapping.Mode}`) : '–'),
            },
            {
              title: t('profiles.fields'),
              of: ({ Mapping }) => (
                <span className="cell">
                  {Object.keys('Fields' in Mapping ? Mapping.Fields : Mapping.Columns)
                    .map(spaced)
                    .join(', ')}
                </span>
              ),
            },
            {
              title: t('actions'),
              isQuiet: true,
              of: (one) => (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('kept.deleteOf', { name: one.Name })}
                  onClick={() => setGone({ kind: 'profile', one })}
                >
                  {t('record.delete')}
                </Button>
              ),
            },
          ]}
        />
        {administers && (
          <>
            <Title order={2}>{t('schedules.title')}</Title>
            <Listing
              label={t('schedules.title')}
              query={schedules}
              nothing={t('schedules.nothing')}
              keyOf={({ Id }) => Id}
              columns={[
                { title: t('tokens.name'), of: ({ Name }) => <span className="cell">{Name}</span> },
                { title: t('users.state'), of: (one) => <ScheduleHealth schedule={one} /> },
                { title: t('audit.object'), of: ({ Object }) => nameOf(Object) },
                { title: t('profiles.one'), of: ({ Profile: key }) => profileOf(key) },
                { title: t('schedules.when'), of: ({ Cron, Every }) => <code>{Cron ?? Every ?? '–'}</code> },
                { title: t('schedules.next'), of: ({ NextRunAt }) => <Time at={NextRunAt} /> },
                { title: t('schedules.last'), of: ({ LastRun }) => <Time at={LastRun?.At ?? null} /> },
                {
                  title: t('actions'),
                  isQuiet: true,
                  of: (one) => (
                    <ScheduleActions schedule={one} onDelete={() => setGone({ kind: 'schedule', one })} />
                  ),
                },
              ]}
            />
          </>
        )}
      </Stack>
      <Modal
        opened={making}
        onClose={() => setMaking(false)}
        title={t('schedules.new')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {making && (
          <ScheduleForm
            objects={seen.Objects.filter((object) => mayDo(object, 'import'))}
            profiles={profiles.data ?? []}
            onDone={() => {
              setMaking(false)
              void queries.invalidateQueries({ queryKey: schedulesQuery.queryKey })
            }}
            onCancel={() => setMaking(false)}
          />
        )}
      </Modal>
      <Confirm
        opened={gone !== undefined}
        title={t('record.delete')}
        text={t(gone?.kind === 'schedule' ? 'schedules.deleteText' : 'profiles.deleteText', {
          name: gone?.one.Name ?? '',
        })}
        action={t('record.delete')}
        run={async () => {
          if (gone?.kind === 'profile') await deleteProfile(gone.one.Id)
          if (gone?.kind === 'schedule') await deleteSchedule(gone.one.Id)
          await Promise.all(
            [profilesQuery, schedulesQuery].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
          )
        }}
        onClose={() => setGone(undefined)}
      />
    </Page>
  )
}
