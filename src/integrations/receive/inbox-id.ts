/** What a message is kept by: of a repeat the same. */
import { derivedKey } from '../../commands/support/identifiers.ts'

export const inboxId = (integration: string, entry: string, source: string): string =>
  derivedKey('inbox', JSON.stringify([integration, entry, source]), 0)
