/** Who may use the service, put together: from the passwords and tickets up to the routes under `/api/v1/identity`. */
import { setTimeout as pause } from 'node:timers/promises'
import type { LetIn } from '../../api/operations/admin-socket.ts'
import type { Area } from '../../api/area.ts'
import { identityArea } from '../../api/identity/area.ts'
import { companiesPart } from '../../api/identity/companies.ts'
import type { Origins } from '../../api/http/csrf.ts'
import type { LoginLimits } from '../../api/identity/login-limits.ts'
import { rightsPart } from '../../api/identity/rights.ts'
import { rolesPart } from '../../api/identity/roles.ts'
import { sessionsPart } from '../../api/identity/sessions.ts'
import { mePart } from '../../api/identity/me.ts'
import { tokensPart } from '../../api/identity/tokens.ts'
import { usersPart } from '../../api/identity/users.ts'
import type { Log } from '../../ports/log.ts'
import type { PositionTokens } from '../../api/http/position-tokens.ts'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { Identifiers } from '../../commands/support/identifiers.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { UniqueClaims } from '../../commands/support/unique-claims.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Roles } from '../../definitions/load-roles.ts'
import { NotFound } from '../../domain/errors.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import { actorAccess, type ActorAccess } from '../../identity/actor-access.ts'
import { authenticate } from '../../identity/authenticate.ts'
import { bootstrap, type FirstStart } from '../../identity/bootstrap.ts'
import { Companies, onlyCompany } from '../../identity/companies.ts'
import { lastAdministrator } from '../../identity/last-administrator.ts'
import { companyRoles, type CompanyRoles } from '../../identity/company-roles.ts'
import { currentStates } from '../../identity/current-states.ts'
import { StoreContact } from '../../identity/store-contact.ts'
import { logIn, plainEmail } from '../../identity/sessions/log-in.ts'
import { passwords } from '../../identity/secrets/passwords.ts'
import type { Authenticate } from '../../identity/principal.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { letIn } from '../../identity/let-in.ts'
import { sessionTickets } from '../../identity/sessions/session-tickets.ts'
import { steadyNow } from '../../identity/sessions/steady-clock.ts'
import { tokenPlaces } from '../../identity/tokens/token-values.ts'
import { Tokens } from '../../identity/tokens/tokens.ts'
import { TokenUse } from '../../identity/tokens/token-use.ts'
import { OwnRoles } from '../../identity/own-roles.ts'
import { Users } from '../../identity/users.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Journal } from '../../ports/journal.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { ToolLogins } from '../../ports/tool-logins.ts'
import type { Warehouse } from '../../ports/warehouse.ts'
import type { Access } from '../../rights/access.ts'
import { openToolLogins } from './tool-logins.ts'

export interface IdentityOptions {
  readonly config: Config
  /** Of all objects. */
  readonly definitions: Definitions
  /** The roles that every company has. */
  readonly roles: Roles
  readonly events: EventStore
  readonly journal: Journal
  readonly readModels: ReadModels
  readonly warehouse: Pick<Warehouse, 'tables'>
  /** Undefined: the warehouse is not on PostgreSQL. */
  readonly toolLogins: ToolLogins | undefined
  readonly positions: PositionTokens
  readonly states: RecordStates
  readonly claims: UniqueClaims
  readonly write: WriteRecords
  readonly identifiers: Identifiers
  readonly idempotency: Idempotency
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly limits: LoginLimits
  readonly origins: Origins
  /** Shows what the first start on an empty store made; never logged. */
  readonly show: (first: FirstStart) => void
  readonly showVoid: () => void
}

export interface Identity {
  readonly authenticate: Authenticate
  /** For work that goes on after its request was answered. */
  readonly accessOf: ActorAccess
  /** What these roles of the company allow. */
  readonly roleAccess: (company: Company, roles: readonly string[]) => Access | Promise<Access>
  readonly rolesNamed: CompanyRoles['rolesNamed']
  /** Names of the roles that the company has. */
  readonly roleNames: (company: Company) => Promise<ReadonlySet<string>>
  readonly area: Area
  /** Makes sure of the first company; its Key. @throws Unavailable; it may then be done again */
  bootstrap(): Promise<string>
  readonly letIn: LetIn
  start(): void
  stop(): Promise<void>
}

export function openIdentity(options: IdentityOptions): Identity {
  const { config, events, states, claims, write, identifiers, sealer, clock, log, limits } = options
  const now = steadyNow(clock)
  const contact = new StoreContact({
    probe: () => events.last(SYSTEM, 'bootstrap'),
    elapsed: () => clock.elapsed(),
  })
  const current = currentStates({ states, contact, graceMs: config.AUTH_GRACE_SECONDS * 1_000 })
  const hashing = passwords()
  const places = tokenPlaces(events)
  const tickets = sessionTickets({ sealer, now })
  const login = logIn({
    current,
    ownerOf: claims.ownerOf,
    write,
    passwords: hashing,
    tickets,
    newCommand: identifiers.newCommand,
  })
  const use = new TokenUse({
    write,
    newCommand: identifiers.newCommand,
    onTrouble: (error) => {
      if (!(error instanceof NotFound)) log.warn({ err: error }, 'the use of a token cannot be recorded')
    },
  })
  const ofCompanies = companyRoles({
    shared: options.roles,
    definitions: options.definitions,
    current,
    ownerOf: claims.ownerOf,
    readModels: options.readModels,
  })
  const accessOf = actorAccess({ current, accessOf: ofCompanies.accessOf, now })
  const commands = commandsOf(options, { hashing, places, ofCompanies, accessOf, now })
  const area = areaOf(options, { current, login, passwords: hashing, ...commands, ofCompanies, now })
  let keeping: ReturnType<typeof commands.tools.keep>

  return {
    area,
    accessOf,
    ...rolesAsked(ofCompanies),
    authenticate: authenticate({
      current,
      tickets,
      places,
      accessOf: ofCompanies.accessOf,
      now,
      used: (place, token, time) => use.note(place, token, time),
    }),
    bootstrap: () => firstCompany(options, places, hashing),
    letIn: (request) =>
      letIn(
        {
          readModels: options.readModels,
          ownerOf: claims.ownerOf,
          users: commands.users,
          tokens: commands.tokens,
          states,
          newCommand: identifiers.newCommand,
        },
        request,
      ),
    start() {
      use.start()
      if (config.ROLES.has('api')) keeping = commands.tools.keep()
    },
    async stop() {
      use.stop()
      await keeping?.stop()
      contact.close()
      await limits.close()
    },
  }
}

/** What routes need that keep records of the service's own. */
function recordsOf({ config, definitions, readModels, positions, idempotency, sealer }: IdentityOptions) {
  const readYourWritesMs = config.READ_YOUR_WRITES_MS
  return { definitions, readModels, positions, readYourWritesMs, idempotency, sealer }
}

interface CommandParts {
  readonly hashing: ReturnType<typeof passwords>
  readonly places: ReturnType<typeof tokenPlaces>
  readonly ofCompanies: CompanyRoles
  readonly accessOf: ActorAccess
  readonly now: () => number
}

/** What makes and changes users, tokens, companies and logins of tools. */
function commandsOf(options: IdentityOptions, { hashing, places, ofCompanies, accessOf, now }: CommandParts) {
  const { states, write, sealer, log } = options
  const roleNames = ofCompanies.names
  const tables = () => options.warehouse.tables
  return {
    users: new Users({
      states,
      write,
      passwords: hashing,
      roleNames,
      lastAdministrator: lastAdministrator({ ...options, accessOf: ofCompanies.accessOf }),
    }),
    tokens: new Tokens({ states, write, places, sealer, roleNames, now }),
    companies: new Companies({ write, passwords: hashing, now }),
    tools: openToolLogins({
      ...recordsOf(options),
      logins: options.toolLogins,
      commands: { states, write, sealer, roleNames, now, tables, accessOf: ofCompanies.accessOf },
      actorAccess: accessOf,
      log,
    }),
  }
}

const rolesAsked = ({
  names,
  accessOf,
  rolesNamed,
}: CompanyRoles): Pick<Identity, 'roleNames' | 'roleAccess' | 'rolesNamed'> => ({
  roleNames: names,
  rolesNamed,
  roleAccess: (company, roles) => accessOf(company, roles),
})

interface AreaParts extends ReturnType<typeof commandsOf> {
  readonly current: ReturnType<typeof currentStates>
  readonly login: ReturnType<typeof logIn>
  readonly passwords: ReturnType<typeof passwords>
  readonly ofCompanies: CompanyRoles
  readonly now: () => number
}

/** The routes under `/api/v1/identity`. */
function areaOf(options: IdentityOptions, parts: AreaParts): Area {
  const { config, limits, write, origins } = options
  const { current, login, users, tokens, companies, tools, ofCompanies, now } = parts
  const cookieDomain = config.COOKIE_DOMAIN
  const records = recordsOf(options)
  return identityArea({
    logIn: login,
    limits,
    cookieDomain,
    origins,
    onlyCompany: () => onlyCompany(options.readModels),
    parts: [
      mePart({ current, logIn: login, limits, passwords: parts.passwords, users, write, cookieDomain }),
      usersPart({ ...records, users }),
      rightsPart({ ...options, rolesNamed: ofCompanies.rolesNamed }),
      sessionsPart({ ...options, now }),
      tokensPart({ ...records, tokens }),
      companiesPart({ ...records, companies }),
      tools.part,
      rolesPart({
        ...records,
        shared: options.roles,
        roles: new OwnRoles({ ...options, shared: options.roles }),
      }),
    ],
  })
}

/** Makes the first company of an empty store, as the settings name it; its Key. */
function firstCompany(
  options: IdentityOptions,
  places: ReturnType<typeof tokenPlaces>,
  hashing: ReturnType<typeof passwords>,
): Promise<string> {
  const { config, events, identifiers, clock, write, states, show, showVoid } = options
  return bootstrap({
    events,
    identifiers,
    clock,
    write,
    places,
    passwords: hashing,
    onlyWriter: states.onlyWriter,
    given: {
      company: config.BOOTSTRAP_COMPANY,
      email: plainEmail(config.BOOTSTRAP_EMAIL),
      password: config.BOOTSTRAP_PASSWORD,
      token: config.BOOTSTRAP_TOKEN,
    },
    show,
    showVoid,
    pause,
  })
}
