/** Leaving a line alone, and taking back what was decided on it, each with a reason that its history keeps. */
import { Autocomplete, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ignoreLine, unmatchLine } from '../api/bank.ts'
import { Form } from '../shared/form.tsx'
import { done } from '../shared/notify.ts'
import { useWords } from '../words/words.tsx'

const USUAL = ['fee', 'own', 'interest', 'elsewhere'] as const

export interface WithReasonProps {
  readonly line: string
  readonly onDone: () => void
  readonly onCancel: () => void
}

export function WithReason({ line, onDone, onCancel }: WithReasonProps) {
  const { t } = useWords()
  const [reason, setReason] = useState('')
  const ignoring = useMutation({
    mutationFn: () => ignoreLine(line, reason),
    onSuccess: () => {
      done(t('bank.ignored'))
      onDone()
    },
  })
  return (
    <Form sending={ignoring} action={t('bank.ignoreIt')} onCancel={onCancel}>
      <Autocomplete
        label={t('record.reason')}
        description={t('bank.ignoreText')}
        data={USUAL.map((one) => t(`bankReason.${one}`))}
        // All of them, whatever is typed: they are four.
        filter={({ options }) => options}
        // Outside of the page's parts it would belong to none of them.
        comboboxProps={{ withinPortal: false }}
        required
        maxLength={500}
        value={reason}
        onChange={setReason}
        autoFocus
      />
    </Form>
  )
}

/** What was matched, or left alone, is open again. */
export function TakeBack({ line, onDone }: Pick<WithReasonProps, 'line' | 'onDone'>) {
  const { t } = useWords()
  const [asked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const undoing = useMutation({
    mutationFn: () => unmatchLine(line, reason),
    onSuccess: () => {
      done(t('bank.unmatched'))
      setAsked(false)
      onDone()
    },
  })
  if (!asked)
    return (
      <div>
        <Button variant="default" onClick={() => setAsked(true)}>
          {t('bank.unmatch')}
        </Button>
      </div>
    )
  return (
    <Form sending={undoing} action={t('bank.unmatch')} onCancel={() => setAsked(false)}>
      <TextInput
        label={t('record.reason')}
        description={t('bank.unmatchText')}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        autoFocus
      />
    </Form>
  )
}
