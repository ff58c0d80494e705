/**
 * Logins for tools of analysts, made and revoked by administrators. A login sees what its roles, and the user who made it, may
 * export of the warehouse whole: a table of which only some records are granted is not there for it.
 *
 * The database is asked first: what is written in the event store is there. A login whose record was never written is dropped
 * by `keep.ts`.
 */
import type { Caller } from '../../commands/command.ts'
import { derivedKey } from '../../commands/support/identifiers.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { Conflict, invalid, NotFound } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { TableInfo } from '../../domain/warehouse/table-infos.ts'
import type { ToolLogins } from '../../ports/tool-logins.ts'
import type { Access } from '../../rights/access.ts'
import { grantedTables, readableOf } from '../../rights/granted-tables.ts'
import { stillGranted } from '../../rights/granting.ts'
import { checkGrant, type Administrator, type KeyedChange } from '../administrator.ts'
import { rolesOf } from '../identity-state.ts'
import { warehouseLogin } from '../objects.ts'
import type { Sealer } from '../secrets/sealed-secrets.ts'
import { credentialFields } from '../tokens/credential-fields.ts'
import { randomText } from '../tokens/token-values.ts'

/** A login and its password, which is known only now. */
export interface IssuedLogin {
  readonly written: Written
  readonly password: string
}

export interface ToolLoginCommandsOptions {
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'create' | 'remove' | 'doneBefore'>
  /** Undefined: there is no warehouse on PostgreSQL. */
  readonly logins: Pick<ToolLogins, 'make' | 'drop'> | undefined
  /** Every table of the warehouse. @throws Unavailable */
  readonly tables: () => readonly TableInfo[]
  readonly sealer: Pick<Sealer, 'derive'>
  readonly roleNames: (company: Company) => Promise<ReadonlySet<string>>
  readonly accessOf: (company: Company, roles: readonly string[]) => Access | Promise<Access>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export class ToolLoginCommands {
  readonly #options: ToolLoginCommandsOptions

  constructor(options: ToolLoginCommandsOptions) {
    this.#options = options
  }

  /** @throws Invalid, Forbidden (a role that the administrator does not have), Conflict (there are no such logins), Unavailable */
  async create(caller: Caller, by: Administrator, body: Json): Promise<IssuedLogin> {
    const { write, tables, accessOf, now, roleNames } = this.#options
    const logins = this.#logins()
    const time = caller.repeatedFrom ?? now()
    const password = this.#passwordFor(caller)
    const done = await write.doneBefore(caller, warehouseLogin.object)
    if (done) return { written: done, password }
    const { company } = caller
    const known = await roleNames(company)
    const fields = credentialFields(body, { definition: warehouseLogin, roleNames: known, time: now() })
    checkGrant(by, fields.Roles)
    const granted = grantedTables(tables(), await accessOf(company, stillGranted(fields.Roles, by.roles)))
    if (granted.length === 0)
      throw invalid('Roles', 'grant no table of the warehouse whole: give a role that may read and export')
    const key = derivedKey(warehouseLogin.object, caller.command, time)
    const Login = await logins.make({ company, key }, { password, readable: readableOf(granted) })
    const written = await write.create(
      { ...caller, repeatedFrom: time },
      {
        definition: warehouseLogin,
        body: { ...fields, Login, ...(isKeyOf('user', by.person) && { Owner: by.person }) },
      },
    )
    return { written, password }
  }

  /** The record first: a login that outlives it is dropped by `keep.ts`. @throws NotFound, PreconditionFailed, Forbidden, Conflict */
  async revoke(caller: Caller, by: Administrator, { key, expected }: KeyedChange): Promise<Written> {
    const { write, states } = this.#options
    const { company } = caller
    const done = await write.doneBefore(caller, key)
    if (done) return done
    const state = isKeyOf(warehouseLogin.object, key) ? await states.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`Login ${key.slice(0, 100)} does not exist.`)
    checkGrant(by, rolesOf(state.fields))
    const written = await write.remove(caller, { definition: warehouseLogin, key, expected })
    // The record is gone, which is what counts: a server that is away is asked again by `keep.ts`.
    await this.#options.logins?.drop({ company, key }).catch(() => {})
    return written
  }

  #logins() {
    if (this.#options.logins) return this.#options.logins
    throw new Conflict('Logins for tools need the warehouse on PostgreSQL (WAREHOUSE_URL).')
  }

  /** The same one again where the request may have been run before, for its first answer may be lost. */
  #passwordFor({ repeatedFrom, command }: Caller): string {
    if (repeatedFrom === undefined) return randomText()
    return randomText({ command, key: this.#options.sealer.derive('warehouse-passwords') })
  }
}
