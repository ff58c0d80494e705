/** Engines of a suite: started before its tests, stopped after them. */

export function whileRunning(...engines: readonly { start(): Promise<void>; stop(): Promise<void> }[]): void {
  before(async () => {
    for (const engine of engines) await engine.start()
  })
  after(async () => {
    for (const engine of engines) await engine.stop()
  })
}
