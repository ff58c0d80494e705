/** Entries of a record's history as they are answered. */
import type { Json } from '../../domain/json.ts'

/** An entry as it is answered. */
export interface HistoryItem {
  readonly Version: number
  readonly Event: string
  readonly At: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Reason: string | null
  /** Of what an import did: the import, and the row of its file. */
  readonly Import?: { readonly Id: string; readonly Row: number }
  /** Of what an integration did: the integration, and the message that it had received. */
  readonly Integration?: { readonly Id: string; readonly Message: string | null }
  readonly Changes: { readonly [field: string]: { readonly From: Json; readonly To: Json } }
}

/** What became of a message about the record: nothing of the record changed. */
export interface HistoryMessage extends Omit<HistoryItem, 'Version' | 'Import' | 'Integration'> {
  readonly Version: null
  readonly Message: {
    readonly Id: string
    readonly Trigger: string
    readonly Recipient: string
    readonly Template: string
    readonly TemplateVersion: number
    readonly MessageId: string | null
  }
}
