/** Schedules of imports put together: where files are picked up, and with whose rights. */
import { folderSource } from '../../adapters/folder/file-source.ts'
import type { Config } from '../../config.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { ActorAccess } from '../../identity/actor-access.ts'
import { isOpen } from '../../identity/identity-state.ts'
import type { PickUpOptions } from '../../imports/schedules/pick-up.ts'
import { SCHEDULE } from '../../imports/schedules/objects.ts'
import { scheduleOf } from '../../imports/schedules/schedule.ts'
import type { Sealing } from '../../imports/schedules/sftp-login.ts'
import type { Access } from '../../rights/access.ts'
import { openSftp } from './sftp-sources.ts'

/** Folders and servers that the operator has named. @throws Unavailable for others */
export function sourcesOf(
  config: Pick<Config, 'IMPORT_FOLDERS' | 'IMPORT_SFTP_ALLOW'>,
  sealing: Sealing,
): PickUpOptions['sourceOf'] {
  return async (company, fields) => {
    const { Source: source } = scheduleOf(fields)
    if (source.Kind === 'sftp')
      return openSftp({ config, sealing, company, source, secret: fields['Secret'] })
    const { Folder, Path } = source
    const root = config.IMPORT_FOLDERS.get(`${company}/${Folder}`)
    if (root === undefined)
      throw new Unavailable(`the operator has named no folder ${Folder} for this company (IMPORT_FOLDERS)`)
    return folderSource(root, Path)
  }
}

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
