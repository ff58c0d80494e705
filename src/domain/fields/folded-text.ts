/**
 * The form in which text is compared where case does not matter: `contains`, `startswith`, `endswith`, order.
 * A final sigma is a sigma, so that folding does not depend on what follows. The same on every engine, because the folded text is stored. Diacritics stay; only search ignores them.
 */
export function foldedText(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}
