/** With whose rights a schedule acts: in its role, for as long as it is there. */
import type { Company } from '../../domain/events/event.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { ActorAccess } from '../../identity/actor-access.ts'
import { isOpen } from '../../identity/identity-state.ts'
import type { Access } from '../../rights/access.ts'
import { SCHEDULE } from './objects.ts'

export interface ScheduleAccessOptions {
  readonly load: (company: Company, key: string) => Promise<RecordState>
  readonly accessOf: ActorAccess
  readonly roleAccess: (company: Company, roles: readonly string[]) => Access | Promise<Access>
}

/** What an actor may do, also where that is a schedule: it acts in its role, for as long as it is there. */
export function withSchedules({ load, accessOf, roleAccess }: ScheduleAccessOptions): ActorAccess {
  return async (company, actor) => {
    if (!isKeyOf(SCHEDULE, actor)) return accessOf(company, actor)
    const [of, { status, fields }] = await Promise.all([load(company, company), load(company, actor)])
    return isOpen(of) && status === 'live' ? roleAccess(company, [fields['RunAs'] as string]) : undefined
  }
}
