/**
 * Text as a cell of CSV (RFC 4180) that a spreadsheet does not take for a formula: with an apostrophe before it, so that
 * opening a file runs nothing that somebody has typed into a name.
 */

/**
 * What a spreadsheet begins a formula with; the wide forms are taken for the plain ones by some. Apostrophes before it are the
 * text's own or ours.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/
const TO_QUOTE = /[",\r\n]/

/** The text that no spreadsheet calculates: `restored` gives it back. One with an apostrophe of its own gets one more. */
export const defused = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text that was defused. One that no apostrophe was put before is as it was. */
export const restored = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text

/** The text in quotes. */
export const inQuotes = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** The text quoted where it has to be. Empty text is `""`; nothing at all is an empty cell. */
export const quoted = (text: string): string => (text === '' || TO_QUOTE.test(text) ? inQuotes(text) : text)
