/** Entries of the audit as they are answered; the console takes their type from here. */
import type { Fields } from '../../domain/json.ts'

/** An entry as it is answered. */
export interface AuditItem {
  /** The place of the event among those of the company. */
  readonly Position: number
  readonly Key: string
  readonly Version: number
  readonly Event: string
  readonly At: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Reason: string | null
  readonly Data: Fields
}
