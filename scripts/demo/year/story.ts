/** What all parts of the demo's year have in hand: the company, who acts, and the agenda that they write into. */
import type { ApiClient } from '../api-client.ts'
import type { Company } from '../company.ts'
import type { AllKeys } from '../create-records.ts'
import type { Who } from '../people.ts'
import type { Agenda } from './agenda.ts'

export interface Story {
  readonly url: string
  readonly company: Company
  /** The first day after what is told. */
  readonly end: string
  readonly keys: AllKeys
  readonly as: Readonly<Record<Who, ApiClient>>
  readonly agenda: Agenda
  readonly now: () => number
  /** The days that end with something due. */
  readonly midnights: Set<string>
}

/** Creates a record; its Key. */
export async function create(
  api: ApiClient,
  object: string,
  body: unknown,
  reason?: string,
): Promise<string> {
  const { data } = await api.call<{ Id: string }>('POST', object, { body, ...(reason && { reason }) })
  return data.Id
}

export function change(api: ApiClient, path: string, body: unknown, reason?: string): Promise<unknown> {
  return api.call('PATCH', path, { body, ...(reason && { reason }) })
}

/** Takes an action of the workflow. */
export function act(api: ApiClient, path: string, action: string, Comment?: string): Promise<unknown> {
  return api.call('POST', `${path}/workflow/${action}`, Comment ? { body: { Comment } } : {})
}
