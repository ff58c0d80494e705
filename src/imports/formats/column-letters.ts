/** Columns as spreadsheets name them: A, B, …, Z, AA, …, XFD. */

/** The letters of a column, from 1. */
export function columnLetters(column: number): string {
  let letters = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** The column of letters, from 1; 0 where there are other characters. */
export function columnOf(letters: string): number {
  let column = 0
  for (let i = 0; i < letters.length; i++) {
    const code = letters.charCodeAt(i) & ~0x20
    if (code < 65 || code > 90 || column > 1_000_000) return 0
    column = column * 26 + code - 64
  }
  return column
}
