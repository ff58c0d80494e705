/** An object as the signed-in person sees it. */
import type { FieldType } from '../../../src/domain/definition.ts'

export interface Field {
  readonly Name: string
  readonly Type: FieldType
  readonly Description: string | null
  readonly Required: boolean
  readonly ReadOnly: boolean
  readonly Unique: boolean
  readonly Searchable: boolean
  readonly Personal: boolean
  readonly Unit: string | null
  readonly Minimum: number | null
  readonly Maximum: number | null
  readonly MaxLength: number | null
  readonly Choices: readonly string[] | null
  readonly Strict: boolean
  readonly Target: string | null
  readonly Default: string | number | boolean | null
}

export interface ObjectSeen {
  readonly Object: string
  readonly Name: string
  readonly Application: string
  readonly Description: string | null
  readonly Display: string
  readonly Fields: readonly Field[]
  readonly Workflow: {
    readonly Field: string
    readonly Initial: string
    readonly States: readonly string[]
    readonly StrictStatus: boolean
  } | null
  readonly Actions: readonly string[]
}
