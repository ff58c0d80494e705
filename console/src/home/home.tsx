/** The first page: what there is, by application. */
import { Anchor, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Go } from '../app/go.tsx'
import { applicationsOf } from '../app/places.tsx'
import { useSession } from '../app/session.tsx'
import { useSeen } from '../api/objects.ts'
import { spaced } from '../shared/names.ts'
import { Nothing, Page, PageLoading } from '../shared/page.tsx'
import { useWords } from '../words/words.tsx'

export function Home() {
  const { t } = useWords()
  const { me } = useSession()
  const seen = useSeen()
  if (!seen) return <PageLoading />
  return (
    <Page title={me.Company.Name} text={t('home.text')}>
      {seen.Objects.length === 0 && <Nothing>{t('home.nothing')}</Nothing>}
      {applicationsOf(seen).map(([application, objects]) => (
        <Stack key={application} gap={6}>
          <Title order={2}>{spaced(application)}</Title>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="xs">
            {objects.map(({ Object, Name, Description }) => (
              <Card key={Object} withBorder padding="xs">
                <Anchor component={Go} to={`/records/${Object}`} fw={600} size="sm">
                  {spaced(Name)}
                </Anchor>
                <Text size="xs" c="dimmed" lineClamp={2}>
                  {Description}
                </Text>
              </Card>
            ))}
          </SimpleGrid>
        </Stack>
      ))}
    </Page>
  )
}
