/** What a message did, or would do, change by change. */
import { Code, Table, Text } from '@mantine/core'
import type { ChangeResult } from '../api/integrations.ts'
import { Go } from '../app/go.tsx'
import { useWords } from '../words/words.tsx'

export interface ResultsProps {
  readonly results: readonly ChangeResult[]
  readonly nothing: string
}

export function Results({ results, nothing }: ResultsProps) {
  const { t } = useWords()
  if (results.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {nothing}
      </Text>
    )
  return (
    <div className="grid-scroll" tabIndex={0} role="region" aria-label={t('inbox.results')}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('audit.object')}</Table.Th>
            <Table.Th>{t('inbox.did')}</Table.Th>
            <Table.Th>{t('deliveries.record')}</Table.Th>
            <Table.Th>{t('integrations.why')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {results.map(({ Object: object, Did, Record, Reason, Fields }, index) => (
            // They have no name of their own, and never change.
            <Table.Tr key={index}>
              <Table.Th scope="row" fw={500}>
                {object || '–'}
              </Table.Th>
              <Table.Td>{t(`inboxDid.${Did}`)}</Table.Td>
              <Table.Td>
                {Record ? (
                  <Go to={`/records/${object}/${Record}`} className="value-link one-line">
                    …{Record.slice(-6)}
                  </Go>
                ) : (
                  '–'
                )}
              </Table.Td>
              <Table.Td miw={180}>
                {Reason ?? (Fields ? <Code block>{JSON.stringify(Fields, null, 2)}</Code> : '–')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
