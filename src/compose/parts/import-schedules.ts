/** Where schedules of imports pick files up. */
import { folderSource } from '../../adapters/folder/file-source.ts'
import { sftpSource } from '../../adapters/sftp/file-source.ts'
import type { Config } from '../../config.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { PickUpOptions } from '../../imports/schedules/pick-up.ts'
import { scheduleOf } from '../../imports/schedules/schedule.ts'
import type { Sealing } from '../../imports/schedules/sftp-login.ts'
import { sftpPlace } from '../../imports/schedules/sftp-place.ts'

/** Folders and servers that the operator has named. @throws Unavailable for others */
export function sourcesOf(
  { IMPORT_FOLDERS, IMPORT_SFTP_ALLOW: allowed }: Pick<Config, 'IMPORT_FOLDERS' | 'IMPORT_SFTP_ALLOW'>,
  sealing: Sealing,
): PickUpOptions['sourceOf'] {
  return async (company, fields) => {
    const { Source: source } = scheduleOf(fields)
    if (source.Kind === 'sftp')
      return sftpSource(
        await sftpPlace({ allowed, sealing, company, source, secret: fields['Secret'] }),
        source.Path,
      )
    const { Folder, Path } = source
    const root = IMPORT_FOLDERS.get(`${company}/${Folder}`)
    if (root === undefined)
      throw new Unavailable(`the operator has named no folder ${Folder} for this company (IMPORT_FOLDERS)`)
    return folderSource(root, Path)
  }
}
