/**
 * A company keeps a user who may administer users: the last of them is neither deleted nor deactivated, nor loses the role.
 * What is guaranteed when several are changed at once: docs/identity.md#the-last-administrator
 */
import type { RecordStates } from '../commands/support/record-states.ts'
import { Conflict } from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import { fairTurns } from '../domain/fair-turns.ts'
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { SYSTEM_ADMIN } from '../rights/granting.ts'
import type { CompanyRoles } from './company-roles.ts'
import { isActive, rolesOf } from './identity-state.ts'
import { user as userObject } from './objects.ts'

export interface LastAdministratorOptions {
  readonly states: Pick<RecordStates, 'load'>
  readonly readModels: Pick<ReadModels, 'list'>
  readonly accessOf: CompanyRoles['accessOf']
}

export type KnownUser = Pick<RecordState, 'fields'> & { readonly key: string }

export interface LastAdministrator {
  /** Does the work when no other that may take an administrator away is under way. @throws Busy */
  inTurn<T>(company: Company, work: () => Promise<T>): Promise<T>
  /**
   * Only in turn.
   * @param user with its Key and its fields as they are
   * @param change the fields that change; undefined: the user is deleted
   * @throws Conflict when no other active user would be left who may administer users
   */
  check(company: Company, user: KnownUser, change: Fields | undefined): Promise<void>
}

const PAGE = 500

export function lastAdministrator(options: LastAdministratorOptions): LastAdministrator {
  const { states, readModels, accessOf } = options
  const turns = fairTurns({
    atOnce: 1,
    waiting: { own: 100, all: 1_000 },
    full: 'too many changes of users are waiting; try again later',
  })

  const administers = async (company: Company, fields: Fields) =>
    fields['IsActive'] !== false &&
    (await accessOf(company, rolesOf(fields))).grant('*', 'administer') !== undefined

  /** Read models may be behind: what they say is looked up in the events. */
  const isOneLeft = async (company: Company, without: string): Promise<boolean> => {
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const query = { object: userObject.object, sort: [], offset, limit: PAGE, expand: [] }
      const page = await readModels.list(company, query)
      total = page.total
      for (const { key, json } of page.records) {
        if (key === without || !(await administers(company, JSON.parse(json) as Fields))) continue
        const state = await states.load(company, key)
        if (isActive(state) && (await administers(company, state.fields))) return true
      }
    }
    return false
  }

  return {
    inTurn: (company, work) => turns.run(company, work),
    async check(company, user, change) {
      if (!(await administers(company, user.fields))) return
      if (change && (await administers(company, { ...user.fields, ...change }))) return
      if (await isOneLeft(company, user.key)) return
      throw new Conflict(
        `${user.key} is the only active user of the company who may administer users; give another the role ${SYSTEM_ADMIN} first.`,
      )
    },
  }
}
