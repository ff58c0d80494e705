/** A file that is to become an import, and what is said about it. */
import type { ObjectDefinition } from '../domain/definition.ts'
import { Conflict } from '../domain/errors.ts'
import type { KeptFile } from '../ports/files.ts'
import type { BankChoices } from './bank/bank-file.ts'
import type { CommitOptions } from './import.ts'
import type { Mapping } from './mapping/mapping.ts'

export interface Received {
  readonly definition: ObjectDefinition
  readonly file: KeptFile
  readonly name: string | null
  readonly mapping: Partial<Mapping>
  readonly options: Partial<CommitOptions>
  /** The same content was imported before, and that is meant. */
  readonly again: boolean
  readonly schedule?: string | undefined
  /** Of a bank file: what is chosen for it. */
  readonly bank?: BankChoices
  /** Key of the profile that the mapping is of: content is known for each profile. */
  readonly profile?: string | undefined
}

/** The content of a file that another import has brought. */
export class SameContent extends Conflict {
  readonly importKey: string
  constructor(importKey: string) {
    const Message = `is what ${importKey} has brought; again=true imports it once more`
    super(`The content of the file ${Message}.`, [{ Field: 'file', Message }])
    this.importKey = importKey
  }
}
