/** Words to search for: asked for a moment after the last letter, and as the address has them. */
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useWords } from '../words/words.tsx'

export interface WordsInputProps {
  readonly words: string | undefined
  readonly onWords: (words: string | undefined) => void
}

export function WordsInput({ words = '', onWords }: WordsInputProps) {
  const { t } = useWords()
  const [typed, setTyped] = useState(words)
  const ask = useDebouncedCallback((text: string) => onWords(text.trim() || undefined), 250)
  useEffect(() => setTyped((now) => (now.trim() === words ? now : words)), [words])
  return (
    <TextInput
      type="search"
      w={{ base: '100%', xs: 260 }}
      size="xs"
      aria-label={t('records.search')}
      placeholder={t('records.search')}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        ask(event.currentTarget.value)
      }}
    />
  )
}
