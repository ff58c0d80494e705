/** The values of a record, each with its name; what it means shows on pointing. */
import { Box, SimpleGrid, Text } from '@mantine/core'
import { allFields, type ObjectSeen } from '../../api/objects.ts'
import type { Record_ } from '../../api/records.ts'
import { spaced } from '../../shared/names.ts'
import { Value } from '../values/value.tsx'

export function Details({ object, record }: { readonly object: ObjectSeen; readonly record: Record_ }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, lg: 3 }} spacing="md" verticalSpacing="xs" m={0}>
      {allFields(object)
        .filter(({ Name }) => Name in record && Name !== 'Id')
        .map((field) => (
          <Box
            key={field.Name}
            style={field.Type === 'longtext' || field.Type === 'json' ? { gridColumn: '1 / -1' } : undefined}
          >
            <Text component="dt" size="xs" c="dimmed" title={field.Description ?? undefined}>
              {spaced(field.Name)}
            </Text>
            <Text component="dd" size="sm" m={0}>
              <Value value={record[field.Name]} field={field} object={object} />
            </Text>
          </Box>
        ))}
    </SimpleGrid>
  )
}
