/** Suites that need what a machine may not have: without it they are skipped, and the run says so and why. */

/** `missing`: what has to be done to have it; undefined when it is there. */
export function suiteOf(
  what: string,
  missing: string | undefined,
): Mocha.SuiteFunction | Mocha.PendingSuiteFunction {
  if (missing === undefined) return describe
  console.log(`\nNOT TESTED: ${what}; ${missing}\n`)
  return describe.skip
}
