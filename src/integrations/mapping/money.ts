/** Amounts of other systems as money: exact or refused, never rounded. */
import { decimalsOf, isExact } from '../../domain/fields/money.ts'
import type { Json } from '../../domain/json.ts'
import { shown, Unmappable } from './unmappable.ts'

/** From the smallest unit: 1200 and EUR are 12.00 EUR, 1200 and JPY 1,200 JPY, 1200 and KWD 1.200 KWD. */
export function majorOf(amount: Json, currency: Json | undefined): Json {
  const { code, decimals } = currencyOf(currency)
  const text = typeof amount === 'number' || typeof amount === 'string' ? String(amount).trim() : ''
  const [, sign, digits] = /^(-?)(\d{1,15})$/.exec(text) ?? []
  if (digits === undefined)
    throw new Unmappable(`${shown(amount)} is not an amount in the smallest unit of ${code}`)
  const padded = digits.padStart(decimals + 1, '0')
  const split = padded.length - decimals
  return exact(`${sign}${padded.slice(0, split)}.${padded.slice(split)}0`, code, decimals)
}

/** From a decimal amount: 12.5, "12.50". */
export function moneyOf(amount: Json, currency: Json | undefined): Json {
  const { code, decimals } = currencyOf(currency)
  const text = typeof amount === 'number' || typeof amount === 'string' ? String(amount).trim() : ''
  if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw new Unmappable(`${shown(amount)} is not an amount`)
  return exact(text, code, decimals)
}

function exact(text: string, code: string, decimals: number): Json {
  const amount = Number(text)
  if (!isExact(amount, decimals))
    throw new Unmappable(`${text} ${code} has more than ${decimals} decimals or too many digits`)
  return { Amount: amount, Currency: code }
}

function currencyOf(currency: Json | undefined): { readonly code: string; readonly decimals: number } {
  const code = typeof currency === 'string' ? currency.trim().toUpperCase() : ''
  const decimals = decimalsOf(code)
  if (decimals === undefined) throw new Unmappable(`${shown(currency)} is not a currency`)
  return { code, decimals }
}
