/** The words of the console, in English and Norwegian, each language in one file. */
import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import en from './en.json'
import nb from './nb.json'

export type WordKey = keyof typeof en
export type Values = Readonly<Record<string, string | number>>
export const LANGUAGES = ['en', 'nb'] as const
export type Language = (typeof LANGUAGES)[number]

const ALL: Readonly<Record<Language, Readonly<Record<WordKey, string>>>> = { en, nb }
const KEPT = 'daybook.language'

export interface Words {
  readonly language: Language
  setLanguage(language: Language): void
  /** The words for a key; `{name}` in them stands for a value. */
  t(key: WordKey, values?: Values): string
  /** A number as people write it. */
  number(value: number): string
}

const Context = createContext<Words | undefined>(undefined)

export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
    localStorage.setItem(KEPT, language)
  }, [language])
  const words = useMemo<Words>(() => {
    const t: Words['t'] = (key, values = {}) =>
      ALL[language][key].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
    const number: Words['number'] = (value) => value.toLocaleString(localeOf(language))
    return { language, setLanguage, t, number }
  }, [language])
  return <Context value={words}>{children}</Context>
}

export function localeOf(language: Language): string {
  return language === 'nb' ? 'nb-NO' : 'en-GB'
}

export function useWords(): Words {
  const words = use(Context)
  if (!words) throw new Error('useWords outside of WordsProvider')
  return words
}

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'nb') return kept
  return /^(nb|nn|no)\b/.test(navigator.language) ? 'nb' : 'en'
}
