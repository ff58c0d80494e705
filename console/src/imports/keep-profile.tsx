/** Keeps the mapping of an import under a name, for files that come again. */
import { Anchor, Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Import } from '../api/imports.ts'
import { keepProfile, profilesQuery } from '../api/kept-imports.ts'
import { Go } from '../app/go.tsx'
import { done } from '../shared/notify.ts'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

export function KeepProfile({ whole: { Object, Mapping } }: { readonly whole: Import }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const keeping = useMutation({
    mutationFn: () => keepProfile({ Name: name.trim(), Object, Mapping: Mapping! }),
    onSuccess: async () => {
      done(t('profiles.kept'))
      setName('')
      await queries.invalidateQueries({ queryKey: profilesQuery.queryKey })
    },
  })
  if (Mapping === null) return null
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        keeping.mutate()
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          size="xs"
          label={t('profiles.keepAs')}
          required
          maxLength={200}
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <Button size="xs" variant="default" type="submit" loading={keeping.isPending}>
          {t('profiles.keep')}
        </Button>
        <Anchor component={Go} to="/imports/kept" size="sm">
          {t('kept.title')}
        </Anchor>
      </Group>
      {keeping.error && <Trouble error={keeping.error} />}
    </form>
  )
}
