/**
 * Loaded with every run: a promise that is rejected while nobody waits for it fails the run, which then
 * says after which test it was noticed. Mocha by itself passes over it.
 */
const unhandled = new Map<unknown, string>()
let now = 'before the first test'
// Mocha passes each on once more.
process.on('unhandledRejection', (reason) => {
  if (!unhandled.has(reason)) unhandled.set(reason, now)
})

export const mochaHooks = {
  beforeEach(this: Mocha.Context) {
    now = `in or after "${this.currentTest?.fullTitle()}"`
  },
  async afterAll() {
    // Node says that nobody waits once all that is under way has been done.
    await new Promise((resolve) => setImmediate(resolve))
    if (unhandled.size === 0) return
    const shown = [...unhandled].map(
      ([reason, when]) =>
        `${when}: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    )
    throw new Error(`${unhandled.size} rejected promise(s) that nobody waited for\n${shown.join('\n')}`)
  },
}
