/** Narrows a list to what is in one state, or shows all. */
import { NativeSelect } from '@mantine/core'
import { useWords } from '../words/words.tsx'

export interface ChooseStateProps<S extends string> {
  readonly label: string
  readonly states: readonly S[]
  /** What is read of a state. */
  readonly textOf: (state: S) => string
  /** Undefined, or none of them, for all. */
  readonly value: string | undefined
  readonly onChoose: (state: S | undefined) => void
}

export function ChooseState<S extends string>({
  label,
  states,
  textOf,
  value,
  onChoose,
}: ChooseStateProps<S>) {
  const { t } = useWords()
  return (
    <NativeSelect
      size="xs"
      w={220}
      label={label}
      data={[
        { value: '', label: t('deliveries.all') },
        ...states.map((state) => ({ value: state, label: textOf(state) })),
      ]}
      value={states.find((state) => state === value) ?? ''}
      onChange={({ currentTarget: { value: chosen } }) => onChoose(states.find((state) => state === chosen))}
    />
  )
}
