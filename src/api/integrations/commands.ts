/** Commands about integrations: set up, changed, started, paused, deleted; a payload previewed. */
import type { Request, Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import { derivedKey } from '../../commands/support/identifiers.ts'
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import { keyedLocks } from '../../commands/support/keyed-locks.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import { Conflict, Forbidden, invalid } from '../../domain/errors.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { credentialFields, openCredentials, rotated, withValues } from '../../integrations/credentials.ts'
import { WELL } from '../../integrations/health.ts'
import type { Integration } from '../../integrations/integration.ts'
import {
  INTEGRATION,
  integrationDefinition as definition,
  type IntegrationState,
} from '../../integrations/objects.ts'
import { previewPayload } from '../../integrations/preview.ts'
import { payloadPreview, starting } from '../../integrations/bodies.ts'
import { checkAddresses, readChange, readNew, readRotation } from '../../integrations/requests.ts'
import { isOver, loadFullSync } from '../../integrations/sync/full-syncs.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import { readBody } from '../../shapes/body.ts'
import { choiceWords } from '../../shapes/shape-words.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { mayGrant } from '../../rights/granting.ts'
import { expectedVersion } from '../http/conditional.ts'
import { principalOf } from '../http/request-context.ts'
import { success } from '../http/send.ts'
import type { Run } from '../records/answers.ts'
import { startFaults } from './files.ts'
import { fileOf, found } from './found.ts'

export interface CommandsOptions {
  readonly work: IntegrationWork
  readonly readModels: ReadModels
  /** Names of the roles that the company has. */
  readonly roleNames: (company: string) => Promise<ReadonlySet<string>>
}

type Command = (caller: Caller, request: Request, response: Response) => Promise<Written>

const MOST_INTEGRATIONS = 100

export function integrationCommands(options: CommandsOptions) {
  const { work } = options
  const { write, sealing, clock } = work
  const checkRole = roleCheck(options)

  const moment = ({ repeatedFrom }: Caller) => repeatedFrom ?? clock.now()

  const change = async (
    caller: Caller,
    request: Request,
    decide: (integration: Integration) => Promise<Fields> | Fields,
  ) => {
    const integration = await found(work, caller, request)
    const expected = expectedVersion(request) ?? [integration.version]
    const body = await decide(integration)
    return write.update(caller, { definition, key: integration.key, expected, body, writing: 'replace' })
  }

  return {
    create: creation(options),

    patch: (caller: Caller, request: Request, response: Response) =>
      change(caller, request, async (integration) => {
        const file = fileOf(work, integration)
        const { fields, credentials } = readChange(request.body, file)
        const had = credentialsOf(work, integration)
        await checkRole(caller, response, fields['RunAs'])
        checkAddresses({ fields, credentials, file }, work.rules, integration, Object.keys(had))
        if (Object.keys(credentials).length === 0) return fields
        const all = withValues(had, credentials, moment(caller))
        return { ...fields, ...credentialFields(sealing, caller.company, all) }
      }),

    moved: (state: IntegrationState) => (caller: Caller, request: Request) =>
      change(caller, request, async (integration) => {
        const isInitial = state === 'running' && readInitial(request.body)
        if (state === 'running')
          startFaults(fileOf(work, integration), Object.keys(credentialsOf(work, integration)))
        if (state === 'paused' && integration.state === 'off')
          throw new Conflict(`${integration.key} is off: start it instead`)
        if (isInitial && integration.state !== 'off')
          throw new Conflict(`${integration.key} is ${integration.state}: ask for a full sync instead`)
        // A pause is made up for; what happened while it was off is not.
        const starts = state === 'running' && (integration.state === 'off' || !integration.startedAt)
        const at = timestampOf(moment(caller))
        const goesOn = state === 'running' && !starts && (await isInitialising(work, integration))
        return {
          ...WELL,
          State: isInitial || goesOn ? 'initialising' : state,
          ...(starts && { StartedAt: at, SyncAskedAt: isInitial ? at : null }),
        }
      }),

    rotate: (caller: Caller, request: Request) =>
      change(caller, request, (integration) => {
        const { name, value } = readRotation(request.body, fileOf(work, integration))
        const all = rotated(credentialsOf(work, integration), name, value, moment(caller))
        return credentialFields(sealing, caller.company, all)
      }),

    async remove(caller: Caller, request: Request) {
      const { key } = await found(work, caller, request)
      return write.remove(caller, { definition, key, expected: expectedVersion(request) })
    },

    preview: (async (caller, request): Promise<RecordedAnswer> => {
      const integration = await found(work, caller, request)
      const { Entry, Payload } = readBody(payloadPreview, request.body, 'The preview is not valid.')
      const { receive } = fileOf(work, integration)
      const entry = Entry === undefined ? receive[0] : receive.find(({ name }) => name === Entry)
      if (!entry) throw invalid('Entry', entryWords(Entry, receive))
      const results = await previewPayload(work, { integration, entry, payload: Payload as Json })
      return { status: 200, headers: {}, body: success(JSON.stringify(results)) }
    }) satisfies Run,
  }
}

/** Whether it is started with what is there already. @throws Invalid */
function readInitial(body: unknown): boolean {
  if (body === undefined) return false
  return readBody(starting, body, 'The start is not valid.').InitialSync === true
}

const entryWords = (sent: string | undefined, entries: readonly { readonly name: string }[]) =>
  entries.length === 0
    ? 'is not known: the integration receives nothing'
    : choiceWords(
        sent,
        entries.map(({ name }) => name),
      )

/** It was paused before it had taken over what was there. */
async function isInitialising(work: IntegrationWork, integration: Integration): Promise<boolean> {
  if (integration.state === 'initialising') return true
  const sync = await loadFullSync(work, integration)
  return sync !== undefined && sync.isInitial && !isOver(sync) && sync.askedAt === integration.syncAskedAt
}

const credentialsOf = ({ sealing }: IntegrationWork, { company, credentials }: Integration) =>
  openCredentials(sealing, company, credentials)

function roleCheck({ roleNames }: CommandsOptions) {
  return async (caller: Caller, response: Response, role: Json | undefined) => {
    if (role === undefined) return
    const known = await roleNames(caller.company)
    const own = principalOf(response).roles
    if (typeof role !== 'string' || !known.has(role)) throw invalid('RunAs', 'must be the name of a role')
    if (!mayGrant(own, role)) throw new Forbidden('RunAs is a role that you do not have yourself')
  }
}

/** One after the other in each company, so that all are counted. */
function creation(options: CommandsOptions): Command {
  const { work, readModels } = options
  const { write, files, sealing, clock } = work
  const checkRole = roleCheck(options)
  const creating = keyedLocks()
  const create = async (caller: Caller, request: Request, response: Response) => {
    const { file, fields, credentials } = readNew(request.body, files)
    await checkRole(caller, response, fields['RunAs'] ?? 'integration')
    checkAddresses({ fields, credentials, file }, work.rules)
    const every = { object: INTEGRATION, sort: [], offset: 0, limit: 0, expand: [] }
    const { total } = await readModels.list(caller.company, every)
    if (total >= MOST_INTEGRATIONS)
      throw new Conflict(`A company can have at most ${MOST_INTEGRATIONS} integrations.`)
    const at = caller.repeatedFrom ?? clock.now()
    const of = { ...caller, repeatedFrom: at }
    const key = derivedKey(INTEGRATION, caller.command, at)
    await work.places.point(key, caller.company, { command: caller.command, now: at })
    const body = {
      Name: file.title,
      RunAs: 'integration',
      Settings: {},
      ...fields,
      Definition: file.integration,
      State: 'off',
      ...credentialFields(sealing, caller.company, withValues({}, credentials, at)),
    }
    return write.create(of, { definition, body })
  }

  return (caller, request, response) =>
    creating.holding([{ key: caller.company, shared: false }], () => create(caller, request, response))
}
