/** mocha's spec reporter, closed by one line that says how many tests passed and failed. */
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Spec {
  override done(failures: number, end: (failures: number) => void): void {
    const { passes = 0, pending = 0 } = this.stats ?? {}
    console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`)
    end(failures)
  }
}
