/** The load generator's own process: runs the plans that its parent sends, one after the other. */
import { generateLoad, type LoadPlan } from './generate.ts'

process.on('message', (plan: LoadPlan) => {
  generateLoad(plan).then(
    (result) => process.send!({ result }),
    (error: unknown) => process.send!({ failure: String(error) }),
  )
})
// The parent ends it by closing the channel; a Ctrl-C in the terminal is the parent's affair.
process.on('SIGINT', () => {})
