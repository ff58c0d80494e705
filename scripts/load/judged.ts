/** Figures beside their goals: printed one a line; a goal that is missed makes the script fail. */

export interface Judged {
  readonly what: string
  readonly value: number
  readonly unit: 'ms' | 's' | 'MB' | '%' | ''
  /** At most this; without one the figure is only told. */
  readonly most?: number
}

export function judge(figures: readonly Judged[]): void {
  for (const { what, value, unit, most } of figures) {
    const missed = most !== undefined && !(value <= most)
    const goal = most === undefined ? '' : ` (at most ${most}${missed ? ': MISSED' : ''})`
    const digits = Number.isInteger(value) ? 0 : value < 10 ? 1 : 0
    console.log(`  ${what}: ${value.toFixed(digits)}${unit && ` ${unit}`}${goal}`)
    if (missed) process.exitCode = 1
  }
}
