/** The status of every projection of a process, also while some of those that keep them do not answer. */
import { boundedWait } from '../domain/bounded-wait.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import type { ProjectionStatus } from '../ports/read-models.ts'

export interface KnownStatus {
  readonly status: ProjectionStatus
  readonly control: ProjectionControl
  /** Why the control does not answer: the status is then the last that was seen. */
  readonly failure: string | undefined
}

export interface KnownStatuses {
  readonly known: readonly KnownStatus[]
  /** Of each control that does not answer. */
  readonly failures: readonly Error[]
}

const WAIT_MS = 2_000

/** Makes the function that asks all controls; it never rejects, and answers within 2 s. */
export function knownStatuses(controls: readonly ProjectionControl[]): () => Promise<KnownStatuses> {
  const last = new Map<ProjectionControl, readonly ProjectionStatus[]>()
  const ask = async (control: ProjectionControl): Promise<Error | undefined> => {
    try {
      last.set(control, await boundedWait(WAIT_MS, control.status(), 'the projections do not answer'))
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
  return async () => {
    const errors = await Promise.all(controls.map(ask))
    const known = controls.flatMap((control, index) => {
      const failure = errors[index]?.message
      return (last.get(control) ?? []).map((status) => ({ status, control, failure }))
    })
    return { known, failures: errors.filter((error) => error !== undefined) }
  }
}
