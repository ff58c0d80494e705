/** Which bank account a statement is of, where the file does not say it in a way that is known here. */
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ACCOUNT } from '../api/bank.ts'
import { chooseAccounts, type Import } from '../api/imports.ts'
import type { Json } from '../api/records.ts'
import { Go } from '../app/go.tsx'
import { LookupInput } from '../records/values/lookup-input.tsx'
import { lookedUp } from '../records/values/value.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

export function BankChoices({ whole }: { readonly whole: Import }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Readonly<Record<string, Json>>>({})
  const accounts = [...new Set(whole.Questions.map(({ Column }) => Column ?? ''))]
  const saving = useMutation({
    mutationFn: () => {
      const keys = Object.entries(chosen).flatMap(([account, value]) => {
        const key = lookedUp(value)?.key
        return key === undefined ? [] : [[account, key] as const]
      })
      return chooseAccounts(whole.Id, Object.fromEntries(keys))
    },
    onSuccess: (now) => queries.setQueryData(['import', whole.Id], now),
  })
  return (
    <Stack gap="sm" maw={560}>
      <Text size="sm">
        {t('imports.accountsText')}{' '}
        <Anchor component={Go} to={`/records/${ACCOUNT}/new`} inherit underline="always">
          {t('imports.newAccount')}
        </Anchor>
      </Text>
      {accounts.map((account) => (
        <LookupInput
          key={account}
          label={account === '' ? t('imports.noAccount') : account}
          description={undefined}
          required={false}
          error={undefined}
          target={ACCOUNT}
          value={chosen[account]}
          onValue={(value) => setChosen({ ...chosen, [account]: value })}
        />
      ))}
      {saving.error && <Trouble error={saving.error} />}
      <Group justify="flex-end">
        <Button loading={saving.isPending} onClick={() => saving.mutate()}>
          {t('imports.readOn')}
        </Button>
      </Group>
    </Stack>
  )
}
