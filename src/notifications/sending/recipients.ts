/** Who gets a message: an address on the record, everyone with a role, or everyone who may take the next step. */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Company } from '../../domain/events/event.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Json } from '../../domain/json.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Access } from '../../rights/access.ts'
import { judgeOfState } from '../../rights/judge-record.ts'
import type { Trigger } from '../triggers.ts'

export interface Recipient {
  /** In lowercase. */
  readonly address: string
  /** Its language, where the record says it. */
  readonly locale?: string | undefined
}

export interface RecipientsOptions {
  readonly definitions: Definitions
  readonly readModels: Pick<ReadModels, 'list'>
  readonly accessOf: (company: Company, roles: readonly string[]) => Access | Promise<Access>
}

export interface OfRecord {
  readonly company: Company
  readonly definition: ObjectDefinition
  readonly key: string
  readonly state: RecordState
  /** When it happened, in ms since 1970. */
  readonly since: number
  /** Key of the person who led to it. */
  readonly person?: string | undefined
  /** The state of another record, at the same time. */
  readonly stateOf: (key: string) => Promise<RecordState>
}

const ADDRESS = /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]{1,190}$/
/** Records show seconds: of the same one, only their events say which was first. */
const SECOND_MS = 1_000
/** Users of a company who are looked at. */
const MOST_USERS = 1_000

/** Each address once. */
export async function recipientsOf(
  { to }: Trigger,
  record: OfRecord,
  options: RecipientsOptions,
): Promise<readonly Recipient[]> {
  const found = new Map<string, Recipient>()
  const add = (address: Json | undefined, locale?: Json) => {
    if (typeof address !== 'string' || !ADDRESS.test(address)) return
    const plain = address.toLowerCase()
    if (!found.has(plain)) found.set(plain, { address: plain, ...(typeof locale === 'string' && { locale }) })
  }
  for (const one of to) {
    if ('field' in one) {
      const locale = one.locale === undefined ? undefined : await valueAt(one.locale, record, options)
      add(await valueAt(one.field, record, options), locale)
      continue
    }
    for (const user of await activeUsers(record, options)) {
      const access = 'mayTake' in one ? await options.accessOf(record.company, user.roles) : undefined
      const concerned = access
        ? await mayTake(access, (one as { mayTake: string }).mayTake, record, options)
        : user.roles.includes((one as { role: string }).role)
      const isActor = 'notActor' in one && one.notActor === true && user.key === record.person
      if (concerned && !isActor) add(user.email)
    }
  }
  return [...found.values()]
}

/** The plain value at the end of a path over lookups. */
async function valueAt(
  path: string,
  record: OfRecord,
  { definitions }: RecipientsOptions,
): Promise<Json | undefined> {
  const names = path.split('.')
  let [on, state] = [record.definition, record.state]
  for (const name of names.slice(0, -1)) {
    const looked = state.fields[name]
    const target = definitions.get(on.fields.find((field) => field.name === name)?.target ?? '')
    if (typeof looked !== 'string' || !target) return undefined
    on = target
    state = await record.stateOf(looked)
    if (state.status !== 'live') return undefined
  }
  return state.fields[names.at(-1)!]
}

async function mayTake(
  access: Access,
  action: string,
  record: OfRecord,
  { definitions }: RecipientsOptions,
): Promise<boolean> {
  const { object } = record.definition
  const judge = judgeOfState(definitions, record, record.stateOf)
  const takes = await judge.grantOn(access.grant(object, `workflow:${action}`))
  return takes !== undefined && (await judge.grantOn(access.grant(object, 'read'))) !== undefined
}

interface User {
  readonly Email: string
  readonly Roles: readonly string[]
  readonly IsActive: boolean
  readonly ModifiedAt: string
}

/** Those who are active now, with the roles that they had then. */
async function activeUsers({ company, since, stateOf }: OfRecord, { readModels }: RecipientsOptions) {
  const users: { readonly key: string; readonly email: string; readonly roles: readonly string[] }[] = []
  for (let offset = 0; offset < MOST_USERS; offset += 100) {
    const page = { object: 'user', sort: [], expand: [], offset, limit: 100 }
    const { records } = await readModels.list(company, page)
    for (const { key, json } of records) {
      const { Email, Roles, IsActive, ModifiedAt } = JSON.parse(json) as User
      if (IsActive === false) continue
      // Who came to be concerned later was not: that it is looked at again makes no difference.
      const roles = Date.parse(ModifiedAt) + SECOND_MS > since ? (await stateOf(key)).fields['Roles'] : Roles
      if (Array.isArray(roles)) users.push({ key, email: Email, roles: roles as readonly string[] })
    }
    if (records.length < 100) break
  }
  return users
}
