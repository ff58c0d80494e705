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

/**
 * The same for what several files share: `describe` is of the file that is being read, and a process of a run with several
 * at once reads one file after the other.
 */
export function sharedSuiteOf(
  what: string,
  missing: string | undefined,
): (title: string, tests: (this: Mocha.Suite) => void) => Mocha.Suite | void {
  return (title, tests) => suiteOf(what, missing)(title, tests)
}
