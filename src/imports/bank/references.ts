/** Structured references of invoices and account numbers, by their check digits. */

/** The reference in the form in which two spellings of it are the same: no blanks, strokes or signs, in capitals. */
export const plainReference = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/** ISO 11649: `RF`, two check digits, up to 21 letters and digits. */
export const isRf = (text: string): boolean =>
  /^RF\d{2}[0-9A-Z]{1,21}$/.test(text) && mod97(text.slice(4) + text.slice(0, 4)) === 1

/** Norway's KID: 2 to 25 digits, the last by mod 10 or mod 11, where `-` stands for 10. */
export function isKid(text: string): boolean {
  return /^\d{1,24}[\d-]$/.test(text) && (luhn(text) || kidMod11(text))
}

/** Switzerland's QR reference: 27 digits, the last by recursive mod 10. */
export const isQrr = (text: string): boolean =>
  /^\d{27}$/.test(text) && recursiveMod10(text.slice(0, 26)) === Number(text[26])

/** Belgium's `+++123/4567/89002+++`: 12 digits, the last two mod 97 of the others, where 97 stands for 0. */
export const isBelgian = (text: string): boolean =>
  /^\d{12}$/.test(text) && (Number(text.slice(0, 10)) % 97 || 97) === Number(text.slice(10))

/** Finland's viitenumero: 4 to 20 digits, the last by weights 7, 3, 1 from the right. */
export function isFinnish(text: string): boolean {
  if (!/^\d{4,20}$/.test(text)) return false
  const total = [...text.slice(0, -1)]
    .reverse()
    .reduce((sum, digit, i) => sum + Number(digit) * [7, 3, 1][i % 3]!, 0)
  return (10 - (total % 10)) % 10 === Number(text.at(-1))
}

/** ISO 13616: the check digits and the form; lengths of countries change and are not checked. */
export const isIban = (text: string): boolean =>
  /^[A-Z]{2}\d{2}[0-9A-Z]{11,30}$/.test(text) && mod97(text.slice(4) + text.slice(0, 4)) === 1

/** Whether the plain form is a structured reference of one of the kinds. A short number is one by chance too often. */
export const isStructuredReference = (plain: string): boolean =>
  isRf(plain) || isQrr(plain) || isBelgian(plain) || (plain.length >= 6 && (isKid(plain) || isFinnish(plain)))

/** Letters count 10 to 35. */
function mod97(text: string): number {
  let rest = 0
  for (const char of text) {
    const value = parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}

function luhn(text: string): boolean {
  if (text.endsWith('-')) return false
  const total = [...text].reverse().reduce((sum, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return total % 10 === 0
}

function kidMod11(text: string): boolean {
  const total = [...text.slice(0, -1)]
    .reverse()
    .reduce((sum, digit, i) => sum + Number(digit) * (2 + (i % 6)), 0)
  const check = (11 - (total % 11)) % 11
  return text.at(-1) === (check === 10 ? '-' : String(check))
}

const CARRY = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5]

function recursiveMod10(digits: string): number {
  let carry = 0
  for (const digit of digits) carry = CARRY[(carry + Number(digit)) % 10]!
  return (10 - carry) % 10
}
