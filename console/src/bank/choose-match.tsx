/** Payments and invoices that a person chooses for a line, found by words; amounts where it is not all of them. */
import { ActionIcon, Button, Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { matchLine, type Part } from '../api/bank.ts'
import type { Json, Record_ } from '../api/records.ts'
import { isMoney, lookedUp } from '../records/values/value.tsx'
import { LookupInput } from '../records/values/lookup-input.tsx'
import { Form } from '../shared/form.tsx'
import { done } from '../shared/notify.ts'
import { useWords } from '../words/words.tsx'

type Kind = 'invoice' | 'payment'

interface Choice {
  readonly kind: Kind
  readonly chosen: Json
  readonly amount: number | undefined
}

const EMPTY: Choice = { kind: 'invoice', chosen: null, amount: undefined }
const MOST = 50

export interface ChooseMatchProps {
  readonly line: Record_
  readonly onDone: () => void
  readonly onCancel: () => void
}

export function ChooseMatch({ line, onDone, onCancel }: ChooseMatchProps) {
  const { t } = useWords()
  const isOut = isMoney(line['Amount']) && line['Amount'].Amount < 0
  const [choices, setChoices] = useState<readonly Choice[]>([EMPTY])
  const matching = useMutation({
    mutationFn: () =>
      matchLine(
        line.Id,
        choices.flatMap((choice) => partOf(choice, isOut)),
      ),
    onSuccess: () => {
      done(t('bank.matchedNow'))
      onDone()
    },
  })
  const change = (at: number, next: Partial<Choice>) =>
    setChoices(choices.map((one, index) => (index === at ? { ...one, ...next } : one)))
  return (
    <Form sending={matching} action={t('bank.match')} onCancel={onCancel}>
      <Text size="sm" c="dimmed">
        {t('bank.chooseText')}
      </Text>
      {choices.map((choice, at) => (
        <OneChoice
          // Choices have no name of their own; they are only added and taken from the end.
          key={at}
          number={at + 1}
          choice={choice}
          currency={isMoney(line['Amount']) ? line['Amount'].Currency : ''}
          onChange={(next) => change(at, next)}
          {...(at > 0 && at === choices.length - 1 && { onRemove: () => setChoices(choices.slice(0, -1)) })}
        />
      ))}
      {choices.length < MOST && (
        <div>
          <Button size="xs" variant="default" onClick={() => setChoices([...choices, EMPTY])}>
            {t('bank.chooseMore')}
          </Button>
        </div>
      )}
    </Form>
  )
}

/** `isOut`: the money went out, and the amounts are negative then, however they are typed. */
function partOf({ kind, chosen, amount }: Choice, isOut: boolean): Part[] {
  const key = typeof chosen === 'string' ? chosen : lookedUp(chosen ?? undefined)?.key
  if (key === undefined) return []
  const Amount = amount === undefined ? {} : { Amount: isOut ? -Math.abs(amount) : amount }
  return [kind === 'invoice' ? { Invoice: key, ...Amount } : { Payment: key, ...Amount }]
}

interface OneChoiceProps {
  readonly number: number
  readonly choice: Choice
  readonly currency: string
  readonly onChange: (next: Partial<Choice>) => void
  readonly onRemove?: () => void
}

function OneChoice({ number, choice, currency, onChange, onRemove }: OneChoiceProps) {
  const { t } = useWords()
  const { kind, chosen, amount } = choice
  const label = t('bank.choice', { number })
  return (
    <Stack gap={6} role="group" aria-label={label} className="candidate">
      <Group justify="space-between">
        <NativeSelect
          size="xs"
          aria-label={t('bank.kindOf', { number })}
          data={[
            { value: 'invoice', label: t('bank.anInvoice') },
            { value: 'payment', label: t('bank.aPayment') },
          ]}
          value={kind}
          onChange={({ currentTarget: { value } }) => onChange({ kind: value as Kind, chosen: null })}
        />
        {onRemove && (
          <ActionIcon variant="default" aria-label={t('records.remove', { what: label })} onClick={onRemove}>
            <IconX size={14} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <Group gap="xs" align="flex-end" grow preventGrowOverflow={false}>
        <LookupInput
          key={kind}
          label={t(kind === 'invoice' ? 'bank.anInvoice' : 'bank.aPayment')}
          description={undefined}
          required
          error={undefined}
          target={kind}
          value={chosen}
          onValue={(value) => onChange({ chosen: value })}
        />
        <NumberInput
          label={t('bank.amount', { currency })}
          placeholder={t('bank.allOfIt')}
          decimalScale={4}
          hideControls
          value={amount ?? ''}
          onChange={(value) => onChange({ amount: typeof value === 'number' ? value : undefined })}
        />
      </Group>
    </Stack>
  )
}
