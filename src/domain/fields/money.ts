/**
 * Money: an exact decimal amount in an ISO 4217 currency.
 *
 * An Amount travels as a JSON number (docs/interface.md#values). A number is accepted only when it is exact: no more decimals than the currency has and no more digits than a double keeps, so that what is stored, summed and returned is what was sent.
 */

/** Currencies whose number of decimals is not two (ISO 4217). */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ...[
    'BIF',
    'CLP',
    'DJF',
    'GNF',
    'ISK',
    'JPY',
    'KMF',
    'KRW',
    'PYG',
    'RWF',
    'UGX',
    'UYI',
    'VND',
    'VUV',
    'XAF',
    'XOF',
    'XPF',
  ].map((code) => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
  ['CLF', 4],
  ['UYW', 4],
])

const TWO_DECIMALS =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
  'CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK ' +
  'HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR ' +
  'MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
  'SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ' +
  'ZAR ZMW ZWG ZWL'

const CURRENCIES: ReadonlyMap<string, number> = new Map([
  ...TWO_DECIMALS.split(' ').map((code) => [code, 2] as const),
  ...DECIMALS,
])

/** How many decimals amounts in this currency may have; undefined for an unknown currency. */
export function decimalsOf(currency: string): number | undefined {
  return CURRENCIES.get(currency)
}

/** How many decimals the shortest text of the number has. */
export function decimalPlaces(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const decimals = mantissa.split('.')[1]?.length ?? 0
  return Math.max(0, decimals - Number(exponent))
}

/** Every number of this many digits has a double of its own. */
const DIGITS_KEPT = 15

/** Whether the amount, counted in its currency's smallest unit, is an integer that a double represents exactly. */
export function isExact(amount: number, decimals: number): boolean {
  return decimalPlaces(amount) <= decimals && Math.abs(amount) < 10 ** (DIGITS_KEPT - decimals)
}
