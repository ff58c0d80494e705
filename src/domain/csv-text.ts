/**
 * Text as a cell of CSV (RFC 4180) that a spreadsheet does not take for a formula: with an apostrophe before it, so that
 * opening a file runs nothing that somebody has typed into a name.
 */

/** What a spreadsheet begins a formula with; the wide forms are taken for the plain ones by some. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** The same after apostrophes, which then are the text's own or ours. */
const AFTER_APOSTROPHES = /^'*[=+\-@\t\r\n＝＋－＠]/
const TO_QUOTE = /[",\r\n]/

/** The text that no spreadsheet calculates. */
export const defused = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The same, so that `restored` gives back what it was: a text with an apostrophe of its own gets one more. */
export const restorable = (text: string): string => (AFTER_APOSTROPHES.test(text) ? `'${text}` : text)

export const restored = (text: string): string =>
  text.startsWith("'") && AFTER_APOSTROPHES.test(text) ? text.slice(1) : text

/** The text quoted where it has to be. Empty text is `""`; nothing at all is an empty cell. */
export const quoted = (text: string): string =>
  text === '' || TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text
