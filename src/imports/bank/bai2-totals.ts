/**
 * What a file in BAI2 says of itself: each account (03 to 49), group (02 to 98) and file (01 to 99) ends with the sum of its
 * amounts, with their signs and no point, and with how many parts and records it has.
 */
export interface Counted {
  readonly place: number
  readonly code: string
  /** With all those that continue it (88). */
  readonly records: number
  /** What it has of amounts, in the smallest unit. */
  readonly amounts: readonly bigint[]
  readonly fields: readonly string[]
}

interface Level {
  readonly name: string
  readonly opens: string
  readonly closes: string
  /** What it counts beside its records. */
  readonly parts?: string
}

const LEVELS: readonly Level[] = [
  { name: 'file', opens: '01', closes: '99', parts: 'groups' },
  { name: 'group', opens: '02', closes: '98', parts: 'accounts' },
  { name: 'account', opens: '03', closes: '49' },
]

interface Tally {
  sum: bigint
  records: number
  parts: number
}

export interface ControlTotals {
  /** What of the file's own totals is not so. */
  take(record: Counted): readonly string[]
  /** What has not been closed when the file ends. */
  end(): readonly string[]
}

export function controlTotals(): ControlTotals {
  /** Those under way: the file, its group, its account. */
  const open: Tally[] = []

  const add = ({ sum, records }: Omit<Tally, 'parts'>) => {
    const inner = open.at(-1)
    if (!inner) return
    inner.sum += sum
    inner.records += records
  }
  const misplaced = ({ place, code }: Counted): readonly string[] => {
    const inner = LEVELS[open.length - 1]
    return [
      `Line ${place}: the record ${code} stands where it cannot be; ` +
        (inner ? `the ${inner.name} before it has to end with ${inner.closes}.` : 'a file begins with 01.'),
    ]
  }
  const close = (record: Counted, { name, parts }: Level): readonly string[] => {
    const { place, code, records, fields } = record
    const tally = open.pop()!
    const whole = { sum: tally.sum, records: tally.records + records }
    add(whole)
    const outer = open.at(-1)
    if (outer) outer.parts++
    const [total, ...counts] = fields
    const said: readonly (readonly [string, string | undefined, bigint | number])[] = [
      ['a control total', total, whole.sum],
      ...(parts === undefined ? [] : [[parts, counts.shift(), tally.parts] as const]),
      ['records', counts[0], whole.records],
    ]
    return said
      .filter(([, text = '', found]) => text.trim() !== '' && numberIn(text) !== BigInt(found))
      .map(
        ([what, text, found]) =>
          `Line ${place}: the record ${code} says ${text!.trim()} for ${what} of the ${name}, and ${found} are there.`,
      )
  }
  return {
    take(record) {
      const { code, records, amounts } = record
      const opens = LEVELS.findIndex((level) => level.opens === code)
      const closes = LEVELS.findIndex((level) => level.closes === code)
      const depth = opens >= 0 ? opens : closes >= 0 ? closes + 1 : LEVELS.length
      if (open.length !== depth) return misplaced(record)
      if (closes >= 0) return close(record, LEVELS[closes]!)
      if (opens >= 0) open.push({ sum: 0n, records: 0, parts: 0 })
      add({ sum: amounts.reduce((sum, one) => sum + one, 0n), records })
      return []
    },
    end() {
      const inner = LEVELS[open.length - 1]
      return inner
        ? [`The file is not whole: it ends before the record ${inner.closes} that ends its ${inner.name}.`]
        : []
    },
  }
}

/** Undefined: no amount or count. */
export function numberIn(text: string): bigint | undefined {
  const match = /^\s*([+-]?)(\d{1,30})\s*$/.exec(text)
  if (!match) return undefined
  return match[1] === '-' ? -BigInt(match[2]!) : BigInt(match[2]!)
}
