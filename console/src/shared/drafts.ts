/** What was typed and not saved yet: kept for this tab until it is saved, given up or signed out of. */
const PREFIX = 'daybook.draft.'

export type Draft = Readonly<Record<string, unknown>>

export function draftOf(name: string): Draft | undefined {
  const text = sessionStorage.getItem(PREFIX + name)
  return text === null ? undefined : (JSON.parse(text) as Draft)
}

export function keepDraft(name: string, draft: Draft | undefined): void {
  if (draft === undefined || Object.keys(draft).length === 0) sessionStorage.removeItem(PREFIX + name)
  else sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))
}

export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
