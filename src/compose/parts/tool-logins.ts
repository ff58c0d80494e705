/** Logins of tools to the warehouse: their routes, and what keeps them as their records say. */
import { warehouseLoginsPart, type WarehouseLoginRoutes } from '../../api/identity/warehouse-logins.ts'
import type { IdentityPart } from '../../api/identity/part.ts'
import type { Log } from '../../ports/log.ts'
import type { ActorAccess } from '../../identity/actor-access.ts'
import { ToolLoginCommands, type ToolLoginCommandsOptions } from '../../identity/tool-logins/commands.ts'
import { keepToolLogins, type KeepingToolLogins } from '../../identity/tool-logins/keep.ts'
import type { ToolLogins } from '../../ports/tool-logins.ts'

export interface ToolLoginsOptions extends Omit<WarehouseLoginRoutes, 'commands' | 'server'> {
  readonly logins: ToolLogins | undefined
  readonly commands: Omit<ToolLoginCommandsOptions, 'logins'>
  /** What a login may do at this moment, by its Key. */
  readonly actorAccess: ActorAccess
  readonly log: Pick<Log, 'warn'>
}

/** How long a login may still see what it may not any more, but for one that is revoked. */
const PAUSE_MS = 15_000

export function openToolLogins({ logins, commands, actorAccess, log, ...records }: ToolLoginsOptions): {
  readonly part: IdentityPart
  readonly keep: () => KeepingToolLogins | undefined
} {
  const part = warehouseLoginsPart({
    ...records,
    commands: new ToolLoginCommands({ ...commands, logins }),
    server: logins?.server,
  })
  const onTrouble = (error: unknown) => log.warn({ err: error }, 'logins of tools cannot be looked after')
  return {
    part,
    keep: () =>
      logins && keepToolLogins({ ...commands, logins, accessOf: actorAccess, pauseMs: PAUSE_MS, onTrouble }),
  }
}
