/** What is kept for imports that come again: mappings with names, and schedules that pick files up. */
import { queryOptions } from '@tanstack/react-query'
import type { WrittenBankProfile } from '../../../src/imports/bank/profiles/profile.ts'
import type { Mapping } from '../../../src/imports/mapping/mapping.ts'
import { request } from './request.ts'

export interface Profile {
  readonly Id: string
  readonly Name: string
  readonly Object: string
  /** Of bank statements: what the columns of a bank are. */
  readonly Mapping: Mapping | WrittenBankProfile
  readonly ModifiedAt: string
}

/** Those that one may see: of objects that one may import into. */
export const profilesQuery = queryOptions({
  queryKey: ['import-profiles'],
  queryFn: async () =>
    (await request<Profile[]>('import-profiles', { query: { pageSize: 100, sort: 'Name' } })).data,
})

export async function keepProfile(
  body: Pick<Profile, 'Name' | 'Object'> & { readonly Mapping: Mapping },
): Promise<void> {
  await request('import-profiles', { method: 'POST', body })
}

export async function deleteProfile(key: string): Promise<void> {
  await request(`import-profiles/${key}`, { method: 'DELETE' })
}

export type Source =
  | { readonly Kind: 'folder'; readonly Folder: string; readonly Path?: string }
  | {
      readonly Kind: 'sftp'
      readonly Host: string
      readonly Port?: number
      readonly User: string
      readonly Path?: string
      readonly Password?: string
      readonly HostKey?: string | null
    }

export interface ScheduleBody {
  readonly Name: string
  readonly Object: string
  readonly Profile: string | null
  readonly RunAs: string
  readonly Source: Source
  readonly Files: string
  readonly Cron: string | null
  readonly TimeZone: string
  readonly Commit: 'whenNoErrors' | 'always' | 'never'
}

export interface Schedule extends ScheduleBody {
  readonly Id: string
  readonly Every: string | null
  readonly IsActive: boolean
  readonly NextRunAt: string | null
  readonly LastRun: {
    readonly At?: string
    readonly Taken?: number
    readonly Troubles?: readonly (string | { readonly File?: string; readonly Message?: string })[]
  } | null
  readonly Health: 'Ok' | 'Missed' | 'Failed' | null
  readonly OverdueSince: string | null
}

/** How often schedules are asked for while they are looked at, in ms. */
const SOON = 5_000

export const schedulesQuery = queryOptions({
  queryKey: ['import-schedules'],
  queryFn: async () =>
    (await request<Schedule[]>('import-schedules', { query: { pageSize: 100, sort: 'Name' } })).data,
  refetchInterval: SOON,
})

export async function makeSchedule(body: ScheduleBody): Promise<void> {
  await request('import-schedules', { method: 'POST', body })
}

export async function deleteSchedule(key: string): Promise<void> {
  await request(`import-schedules/${key}`, { method: 'DELETE' })
}

export async function runSchedule(key: string): Promise<void> {
  await request(`import-schedules/${key}/run`, { method: 'POST' })
}

export interface Look {
  readonly Takes: readonly { readonly Name: string; readonly Bytes: number }[]
  readonly PassesOver: readonly { readonly Name: string; readonly Bytes: number }[]
  readonly Message?: string
  /** What a server shows that is not known yet. */
  readonly HostKey?: string | null
}

export async function trySchedule(key: string): Promise<Look> {
  return (await request<Look>(`import-schedules/${key}/test`, { method: 'POST' })).data
}
