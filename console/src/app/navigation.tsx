/** The navigation: the records by application, the work, the settings. */
import { Box, Skeleton, Stack, Text } from '@mantine/core'
import { IconTable } from '@tabler/icons-react'
import { useSeen } from '../api/objects.ts'
import { spaced } from '../shared/names.ts'
import { useWords } from '../words/words.tsx'
import { Go } from './go.tsx'
import { applicationsOf, sectionsOf } from './places.tsx'

export function Navigation() {
  const { t } = useWords()
  const seen = useSeen()
  if (!seen) return <Skeleton h={200} aria-label={t('loading')} />
  const [work, ...others] = sectionsOf(seen)
  const before = work?.label === 'nav.work' ? [work] : []
  const after = work?.label === 'nav.work' ? others : sectionsOf(seen)
  return (
    <Stack gap="sm" pb="md">
      {before.map(section)}
      {applicationsOf(seen).map(([application, objects]) => (
        <Box key={application}>
          <Heading>{spaced(application)}</Heading>
          {objects.map(({ Object, Name }) => (
            <Go key={Object} to={`/records/${Object}`} className="nav-link">
              <IconTable size={15} aria-hidden />
              {spaced(Name)}
            </Go>
          ))}
        </Box>
      ))}
      {after.map(section)}
    </Stack>
  )

  function section({ label, places }: (typeof after)[number]) {
    return (
      <Box key={label}>
        <Heading>{t(label)}</Heading>
        {places.map(({ to, label, icon: Icon }) => (
          <Go key={to} to={to} className="nav-link">
            <Icon size={15} aria-hidden />
            {t(label)}
          </Go>
        ))}
      </Box>
    )
  }
}

function Heading({ children }: { readonly children: string }) {
  return (
    <Text size="xs" c="dimmed" fw={600} px={10} pb={2}>
      {children}
    </Text>
  )
}
