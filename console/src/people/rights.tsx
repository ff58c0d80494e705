/** "May they? Because …": what a user may do, for the records of an object, one record, or what belongs to none. */
import { Badge, Group, NativeSelect, Stack, Title } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useSeen } from '../api/objects.ts'
import { rightsQuery, type Right } from '../api/people.ts'
import { LookupInput } from '../records/values/lookup-input.tsx'
import { Listing } from '../shared/listing.tsx'
import { spaced } from '../shared/names.ts'
import { useWords } from '../words/words.tsx'

export interface RightsProps {
  readonly user: string
  readonly object: string | undefined
  /** Of a record of that object. */
  readonly recordKey: string | undefined
  readonly onAsk: (object: string | undefined, recordKey: string | undefined) => void
}

export function Rights({ user, object, recordKey, onAsk }: RightsProps) {
  const { t } = useWords()
  const seen = useSeen()
  const rights = useQuery(rightsQuery(user, object, recordKey))
  const objects = seen?.Objects ?? []
  const asked = objects.find(({ Object }) => Object === object)
  return (
    <Stack gap="xs">
      <Title order={2}>{t('rights.title')}</Title>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          label={t('rights.on')}
          data={[
            { value: '', label: t('rights.ofNone') },
            ...objects.map(({ Object, Name }) => ({ value: Object, label: spaced(Name) })),
          ]}
          value={object ?? ''}
          onChange={(event) => onAsk(event.currentTarget.value || undefined, undefined)}
        />
        {asked && (
          <LookupInput
            key={asked.Object}
            label={t('rights.record')}
            description={undefined}
            required={false}
            error={undefined}
            target={asked.Object}
            value={recordKey}
            onValue={(value) => onAsk(asked.Object, keyOf(value))}
          />
        )}
      </Group>
      <Listing
        label={t('rights.title')}
        query={{ ...rights, data: rights.data?.Rights } as UseQueryResult<readonly Right[]>}
        nothing={t('rights.nothing')}
        keyOf={({ Action }) => Action}
        columns={[
          { title: t('rights.action'), of: ({ Action }) => Action },
          {
            title: t('rights.allowed'),
            of: ({ Allowed }) => (
              <Badge className="state" variant="dot" color={Allowed ? 'teal' : 'gray'}>
                {Allowed ? t('yes') : t('no')}
              </Badge>
            ),
          },
          {
            title: t('rights.because'),
            of: ({ Because }) => (
              <>
                {Because.map((reason) => (
                  <div key={reason}>{reason}</div>
                ))}
              </>
            ),
          },
        ]}
      />
    </Stack>
  )
}

function keyOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? (value as { readonly Id: string }).Id : undefined
}
