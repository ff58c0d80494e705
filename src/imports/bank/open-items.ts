/** What is still to be paid, found by what a payer may write: references, numbers, accounts, names. */
import { foldedText } from '../../domain/fields/folded-text.ts'
import { isNegative, isZero, negated, plainDecimal, sum, type Decimal } from '../decimal.ts'
import { plainReference } from './references.ts'

/**
 * An invoice that is open, or a payment that is expected. A debt is given once: where a payment is expected for an invoice,
 * the payment. Deleted ones and those of contracts that are not live are not given.
 */
export interface OpenItem {
  readonly key: string
  readonly kind: 'invoice' | 'payment'
  /** What is open; negative where money is to go out. */
  readonly amount: Decimal
  readonly currency: string
  readonly dueDate?: string
  readonly tenant?: string
  readonly tenantName?: string
  /** What the payer was asked to write. */
  readonly reference?: string
  /** The numbers by which people know it, such as `INV-2029-000012`. */
  readonly numbers: readonly string[]
}

export interface OpenItems {
  withReference(text: string): readonly OpenItem[]
  /** Those of which a number is in the text: blanks, strokes and capitals aside, digit for digit. */
  numberedIn(text: string): readonly OpenItem[]
  ofTenant(tenant: string): readonly OpenItem[]
  /** With exactly this amount, of a tenant whose name shares a word with this one. */
  alike(amount: Decimal, currency: string, name: string): readonly OpenItem[]
  /** Takes an amount off what an item has open: with nothing left, it is not found any more. */
  settle(key: string, amount: Decimal): void
}

export interface GrowingItems extends OpenItems {
  add(item: OpenItem): void
}

export function openItems(items: readonly OpenItem[] = []): GrowingItems {
  const byKey = new Map<string, OpenItem>()
  /** As they are by now. */
  const now = (some: readonly OpenItem[] = []): readonly OpenItem[] =>
    some.flatMap(({ key }) => byKey.get(key) ?? [])
  const byReference = new Map<string, OpenItem[]>()
  const byNumber = new Map<string, OpenItem[]>()
  const byTenant = new Map<string, OpenItem[]>()
  const byAmountAndWord = new Map<string, OpenItem[]>()
  const patterns = new Map<string, RegExp>()
  const addItem = (item: OpenItem) => {
    byKey.set(item.key, item)
    if (item.reference) add(byReference, plainReference(item.reference), item)
    if (item.tenant) add(byTenant, item.tenant, item)
    for (const word of nameWords(item.tenantName ?? ''))
      add(byAmountAndWord, `${amountKey(item.amount, item.currency)} ${word}`, item)
    for (const number of item.numbers) {
      add(byNumber, plainReference(number), item)
      const shape = shapeOf(number)
      if (!patterns.has(shape)) patterns.set(shape, new RegExp(shape, 'gi'))
    }
  }
  items.forEach(addItem)
  return {
    add: addItem,
    withReference: (text) => now(byReference.get(plainReference(text))),
    numberedIn: (text) => [
      ...new Set(
        [...patterns.values()].flatMap((pattern) =>
          [...text.matchAll(pattern)].flatMap(([found]) => now(byNumber.get(plainReference(found)))),
        ),
      ),
    ],
    ofTenant: (tenant) => now(byTenant.get(tenant)),
    alike: (amount, currency, name) =>
      [
        ...new Set(
          [...nameWords(name)].flatMap((word) =>
            now(byAmountAndWord.get(`${amountKey(amount, currency)} ${word}`)),
          ),
        ),
      ].filter((item) => amountKey(item.amount, item.currency) === amountKey(amount, currency)),
    settle(key, amount) {
      const item = byKey.get(key)
      if (!item) return
      const left = sum([item.amount, negated(amount)])
      if (isZero(left) || isNegative(left) !== isNegative(item.amount)) return void byKey.delete(key)
      const smaller = { ...item, amount: left }
      byKey.set(key, smaller)
      for (const word of nameWords(item.tenantName ?? ''))
        add(byAmountAndWord, `${amountKey(left, item.currency)} ${word}`, smaller)
    },
  }
}

const add = (map: Map<string, OpenItem[]>, key: string, item: OpenItem): void => {
  const known = map.get(key)
  if (known) known.push(item)
  else map.set(key, [item])
}

/** `1.5` and `1.50` are one amount. */
const amountKey = (amount: Decimal, currency: string): string => {
  const plain = plainDecimal(amount) ?? amount
  return `${currency} ${plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain}`
}

/** A pattern of all numbers like this one: its letters, as many digits, and anything between them that is neither. */
function shapeOf(number: string): string {
  const parts = number.toUpperCase().match(/[A-Z]+|\d+/g) ?? []
  const shape = parts.map((part) => (/\d/.test(part) ? `\\d{${part.length}}` : part)).join('[\\s./_-]*')
  return `(?<![A-Za-z0-9])${shape}(?!\\d)`
}

/** The words of a name that say something, without case and accents. */
const nameWords = (name: string): ReadonlySet<string> =>
  new Set(
    foldedText(name)
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 2),
  )
