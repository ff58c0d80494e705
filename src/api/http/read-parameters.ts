/** Reads query parameters one after the other and goes on after a fault, to name all faults at once. */
import { Invalid, type Fault } from '../../domain/errors.ts'

export interface ReadParameter {
  /** What `parse` answers; undefined when it throws Invalid, whose faults are kept. */
  <T>(parse: () => T): T | undefined
  /** @throws Invalid with every fault, if there was one */
  done(): void
}

export function readParameters(): ReadParameter {
  const faults: Fault[] = []
  const read = <T>(parse: () => T): T | undefined => {
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      faults.push(...error.faults)
      return undefined
    }
  }
  const done = () => {
    if (faults.length > 0) throw new Invalid('the query parameters are not valid', faults)
  }
  return Object.assign(read, { done })
}
