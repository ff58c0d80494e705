/** Values of records. */

export interface Money {
  readonly Amount: number
  readonly Currency: string
}

export function money(Amount: number, Currency: string): Money {
  return { Amount, Currency }
}

export function eur(Amount: number): Money {
  return money(Amount, 'EUR')
}

/** A lookup as it is read: the other record's Key and display field, and all of the record where it was expanded. */
export type Lookup<Other, Display extends keyof Other> = { readonly Id: string } & Pick<Other, Display> &
  Partial<Omit<Other, 'Id' | Display>>

/** Any record, where no types were generated. */
export interface AnyRecord {
  readonly Id: string
  readonly [field: string]: unknown
}

/** Values to write, by field. */
export interface AnyFields {
  readonly [field: string]: unknown
}

/** What is known of an object: made by `daybook types`. */
export interface ObjectTypes {
  readonly Record: { readonly Id: string }
  readonly Create: object
  readonly Change: object
  readonly Lookups: string
  readonly Unique: string
  readonly Actions: string
}

/** An object of which nothing is known. */
export interface AnyObject extends ObjectTypes {
  readonly Record: AnyRecord
  readonly Create: AnyFields
  readonly Change: AnyFields
  readonly Lookups: string
  readonly Unique: string
  readonly Actions: string
}
