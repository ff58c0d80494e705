/** `{Amount, Currency}`: an exact amount in an ISO 4217 currency. */
import { isObject } from '../../json.ts'
import { decimalsOf, isExact } from '../money.ts'
import { fault, ValueFault, withinBounds, type TypeRules } from './rules.ts'

export const money: TypeRules = {
  read(value, field) {
    if (!isObject(value)) return fault('must be an object {Amount, Currency}')
    const unknown = Object.keys(value).find((name) => name !== 'Amount' && name !== 'Currency')
    if (unknown !== undefined)
      return fault(
        `has an unknown member ${JSON.stringify(unknown.slice(0, 40))}; it takes Amount and Currency`,
      )
    const { Amount: amount, Currency: currency } = value
    if (typeof amount !== 'number' || !Number.isFinite(amount)) return fault('needs Amount, a number')
    if (typeof currency !== 'string') return fault('needs Currency, a code such as EUR')
    const decimals = decimalsOf(currency)
    if (decimals === undefined)
      return fault(`has a Currency that is not an ISO 4217 code: ${JSON.stringify(currency.slice(0, 10))}`)
    if (!isExact(amount, decimals))
      return fault(`has an Amount with more digits than ${currency} keeps exactly (${decimals} decimals)`)
    const bounded = withinBounds(amount, field)
    return bounded instanceof ValueFault ? bounded : { Amount: bounded, Currency: currency }
  },
  holds: (value) =>
    isObject(value) && typeof value['Amount'] === 'number' && typeof value['Currency'] === 'string',
  compares: 'number',
  takes: 'number',
  indexed: true,
}
