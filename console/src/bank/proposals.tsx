/** What a line may be for, each with the evidence for it; one press says that it is so. */
import { Badge, Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { matchLine, type LineStanding, type Proposal } from '../api/bank.ts'
import type { Record_ } from '../api/records.ts'
import { done } from '../shared/notify.ts'
import { Nothing } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { Debts } from './debts.tsx'

export interface ProposalsProps {
  readonly line: Record_
  readonly standing: LineStanding
  readonly mayMatch: boolean
  readonly onDone: () => void
}

export function Proposals({ line, standing, mayMatch, onDone }: ProposalsProps) {
  const { t } = useWords()
  const matching = useMutation({
    mutationFn: ({ Payments }: Proposal) => matchLine(line.Id, Payments),
    onSuccess: () => {
      done(t('bank.matchedNow'))
      onDone()
    },
  })
  const { Proposals: proposals } = standing
  if (proposals.length === 0) return <Nothing>{t('bank.noProposals')}</Nothing>
  return (
    <Stack gap="xs">
      <Title order={3}>{t('bank.mayBeFor')}</Title>
      {matching.error && <Trouble error={matching.error} />}
      {proposals.map((proposal, index) => {
        const name = t('bank.candidate', { number: index + 1 })
        const { Rule, IsCertain, As, Payments, Returns } = proposal
        return (
          <Box key={JSON.stringify(proposal)} className="candidate" role="group" aria-label={name}>
            <Group justify="space-between" gap="xs" mb={4}>
              <Text size="sm">
                {t(`matchRule.${Rule}`)}
                {As && `: ${As}`}
              </Text>
              {IsCertain && (
                <Badge color="teal" className="state">
                  {t('bank.certain')}
                </Badge>
              )}
            </Group>
            <Debts label={name} line={line} parts={Returns === null ? Payments : [{ Payment: Returns }]} />
            {mayMatch && Payments.length > 0 && (
              <Group justify="flex-end" mt={6}>
                <Button
                  size="xs"
                  aria-label={`${t('bank.match')}: ${name}`}
                  loading={matching.isPending && matching.variables === proposal}
                  onClick={() => matching.mutate(proposal)}
                >
                  {t('bank.match')}
                </Button>
              </Group>
            )}
            {Payments.length === 0 && (
              <Text size="xs" c="dimmed">
                {t('bank.byRematch')}
              </Text>
            )}
          </Box>
        )
      })}
    </Stack>
  )
}
