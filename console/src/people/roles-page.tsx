/** The roles, and what each allows. */
import { Badge, Code, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { rolesQuery, type Role } from '../api/people.ts'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { useWords } from '../words/words.tsx'

export function RolesPage() {
  const { t } = useWords()
  const roles = useQuery(rolesQuery)
  return (
    <Page title={t('roles.title')} text={t('roles.text')}>
      <Listing
        label={t('roles.title')}
        query={roles}
        nothing={t('roles.nothing')}
        keyOf={({ Name }) => Name}
        columns={[
          { title: t('tokens.name'), of: ({ Name }) => Name },
          { title: t('webhooks.description'), of: ({ Description }) => Description ?? '–' },
          {
            title: t('roles.grants'),
            of: ({ Grants }) => Grants.map((grant, index) => <Granted key={index} grant={grant} />),
          },
        ]}
      />
    </Page>
  )
}

function Granted({ grant }: { readonly grant: Role['Grants'][number] }) {
  const { t } = useWords()
  const { Object: object, Application, Actions, Rows, ReadFields, WriteFields } = grant
  const on = object === '*' ? t('roles.everything') : (object ?? Application ?? '')
  return (
    <Group gap={4} py={2}>
      <b>{on}:</b>
      {Actions.map((action) => (
        <Badge key={action} variant="default">
          {action}
        </Badge>
      ))}
      {Rows && <Code>{Rows}</Code>}
      {ReadFields && <span>{t('roles.reads', { fields: ReadFields.join(', ') })}</span>}
      {WriteFields && <span>{t('roles.writes', { fields: WriteFields.join(', ') })}</span>}
    </Group>
  )
}
