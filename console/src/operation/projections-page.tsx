/** What is made of the events, how far it has come, and whether the service is ready. */
import { Alert, Badge, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askProjection, projectionsQuery, readyQuery, type Projection } from '../api/operation.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

const COLORS = { live: 'teal', rebuilding: 'yellow', parked: 'red', unreachable: 'red' } as const

export function ProjectionsPage() {
  const { t } = useWords()
  const queries = useQueryClient()
  const projections = useQuery(projectionsQuery)
  const ready = useQuery(readyQuery)
  const [asked, setAsked] = useState<Projection>()
  const refresh = () => queries.invalidateQueries({ queryKey: projectionsQuery.queryKey })
  const resuming = useMutation({
    mutationFn: (name: string) => askProjection(name, 'resume'),
    onSuccess: refresh,
  })
  return (
    <Page title={t('projections.title')} text={t('projections.text')}>
      {ready.error ? (
        <Trouble error={ready.error} />
      ) : (
        ready.data && <Text size="sm">{t('projections.ready')}</Text>
      )}
      {resuming.error && <Trouble error={resuming.error} />}
      {projections.data
        ?.filter((one) => one.Error)
        .map((one) => (
          <Alert
            key={one.Name}
            color="red"
            variant="light"
            title={t('projections.parked', { name: one.Name, position: one.Error!.Position })}
          >
            {one.Error!.Message}
          </Alert>
        ))}
      <Listing
        label={t('projections.title')}
        query={projections}
        nothing={t('projections.nothing')}
        keyOf={({ Name }) => Name}
        columns={[
          { title: t('projections.name'), of: ({ Name }) => Name },
          {
            title: t('projections.state'),
            of: ({ State, Rebuilding }) => (
              <Badge color={COLORS[State]} variant="dot">
                {t(`projections.${State}`)}
                {Rebuilding && ` ${Rebuilding.Position}/${Rebuilding.Of}`}
              </Badge>
            ),
          },
          { title: t('projections.position'), of: ({ Position }) => Position, isNumber: true },
          { title: t('projections.lag'), of: ({ Lag }) => Lag, isNumber: true },
          {
            title: t('actions'),
            isQuiet: true,
            of: (one) => (
              <Group gap={6} justify="flex-end" wrap="nowrap">
                {one.State === 'parked' && (
                  <Button size="compact-xs" variant="default" onClick={() => resuming.mutate(one.Name)}>
                    {t('projections.resume')}
                  </Button>
                )}
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t('projections.rebuildOf', { name: one.Name })}
                  onClick={() => setAsked(one)}
                >
                  {t('projections.rebuild')}
                </Button>
              </Group>
            ),
          },
        ]}
      />
      {asked && (
        <Confirm
          opened
          isDangerous={false}
          title={t('projections.rebuildOf', { name: asked.Name })}
          text={t('projections.rebuildText')}
          action={t('projections.rebuild')}
          run={async () => {
            await askProjection(asked.Name, 'rebuild')
            await refresh()
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Page>
  )
}
