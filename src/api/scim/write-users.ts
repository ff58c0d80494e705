/**
 * What directories change: each is a command like any other, by the role of the integration. A user is a record with a user
 * name; who is deleted loses it, and the record stays as that of somebody who is not active.
 */
import type { Request, RequestHandler, Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { ExpectedVersion } from '../../commands/support/expected-version.ts'
import { keyedLocks } from '../../commands/support/keyed-locks.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import { PreconditionFailed } from '../../domain/errors.ts'
import { foldedText } from '../../domain/fields/folded-text.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { ScimInvalid } from '../../integrations/scim/invalid.ts'
import type { ScimMapping } from '../../integrations/scim/mapping.ts'
import { applyPatch, readPatch } from '../../integrations/scim/patch/apply.ts'
import { readUser } from '../../integrations/scim/patch/assign.ts'
import { changedFields, newFields, userOf, type User } from '../../integrations/scim/user.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import { ifMatch } from '../http/conditional.ts'
import { callerOf } from '../http/request-context.ts'
import { send } from '../http/send.ts'
import { granted } from '../policy.ts'
import { shownWritten, type WrittenAnswers } from '../records/record-answers.ts'
import { sendScim } from './answers.ts'
import { bodyOf } from './body.ts'
import { enteredBy, type ScimDoor } from './door.ts'
import { managerOf } from './managers.ts'
import { noUser, pickingOf, userIn } from './read-users.ts'
import { alreadyThere, checkFree } from './who-is-there.ts'

const ATTEMPTS = 8

export interface WriteUsers extends WrittenAnswers {
  readonly work: IntegrationWork
}

/** Each takes the user as it is to what it becomes. */
export function writeUsers(routes: WriteUsers) {
  const changeTo =
    (after: (before: User, body: Json) => User): RequestHandler =>
    async (request, response) => {
      pickingOf(request)
      const door = enteredBy(response)
      const written = await change(routes, request, response, async (before, fields) => {
        const wanted = checked(after(before, bodyOf(request)))
        const user = await withManager(routes, response, before, wanted)
        if (foldedText(String(user.userName)) !== foldedText(String(before.userName)))
          await checkFree(routes.readModels, door, user)
        return changedFields(door.mapping, fields, before, user)
      })
      await sendUser(routes, request, response, 200, written)
    }

  const remove: RequestHandler = async (request, response) => {
    const { mapping } = enteredBy(response)
    await change(routes, request, response, () => gone(mapping))
    send(response, 204, {})
  }

  return {
    create: creation(routes),
    replace: changeTo((before, body) => ({ ...unsaid(before), ...readUser(body) })),
    patch: changeTo((before, body) => applyPatch(before, readPatch(body))),
    remove,
  }
}

function creation(routes: WriteUsers): RequestHandler {
  const { work } = routes
  /** Of user names that are being taken: they are the same in any case. */
  const names = keyedLocks()
  return async (request, response) => {
    pickingOf(request)
    const door = enteredBy(response)
    const user = await withManager(routes, response, {}, checked(readUser(bodyOf(request))))
    const name = `${door.integration.company} ${foldedText(String(user.userName))}`
    const written = await names.holding([{ key: name, shared: false }], async () => {
      await checkFree(routes.readModels, door, user)
      const { definition } = door.mapping
      const body = newFields(door.mapping, user)
      const there = await alreadyThere(work, door, body)
      const made = there
        ? await work.write.update(callerFor(request, response, 'update'), {
            definition,
            key: there.key,
            expected: [there.version],
            body: taken(door.mapping, there.fields, user),
            writing: 'replace',
          })
        : await work.write.create(callerFor(request, response, 'create'), { definition, body })
      // The next with this name looks for it there.
      await routes.readModels.reached(made.position, routes.readYourWritesMs)
      return made
    })
    await sendUser(routes, request, response, 201, written)
  }
}

/** What changes of somebody who is there already: what the directory does not say stays. */
function taken(mapping: ScimMapping, fields: Fields, user: User): Fields {
  const changes = changedFields(mapping, fields, userOf(mapping, fields), user)
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
}

function gone({ all }: ScimMapping): Fields {
  const cleared = all.filter(({ name }) => name === 'userName' || name === 'externalId')
  const left = all.flatMap(({ choices, field, isOurs }) =>
    choices && !isOurs ? [[field, choices.false] as const] : [],
  )
  return Object.fromEntries([...left, ...cleared.map(({ field }) => [field, null] as const)])
}

async function change(
  { work }: WriteUsers,
  request: Request,
  response: Response,
  decide: (before: User, fields: Fields) => Promise<Fields> | Fields,
): Promise<Written> {
  const { mapping } = enteredBy(response)
  const { definition } = mapping
  const key = request.params['id'] as string
  const caller = callerFor(request, response, 'update')
  const expected = versionsOf(request)
  for (let attempt = 1; ; attempt++) {
    const state = isKeyOf(definition.object, key) ? await work.states.load(caller.company, key) : undefined
    const before = state?.status === 'live' ? userOf(mapping, state.fields) : undefined
    if (!state || before?.userName === undefined) throw noUser(key)
    const body = await decide(before, state.fields)
    try {
      const versions = expected ?? [state.version]
      return await work.write.update(caller, {
        definition,
        key,
        expected: versions,
        body,
        writing: 'replace',
      })
    } catch (error) {
      const isLast = expected !== undefined || attempt === ATTEMPTS
      if (isLast || !(error instanceof PreconditionFailed)) throw error
    }
  }
}

async function sendUser(
  routes: WriteUsers,
  request: Request,
  response: Response,
  status: number,
  written: Written,
): Promise<void> {
  const door = enteredBy(response)
  const { json, headers } = await shownWritten(routes, response, door.mapping.definition, written)
  const record = JSON.parse(json) as Fields
  // Who may write what they may not read gets the Id.
  const user = userIn(door, record, written.state.version, pickingOf(request)) ?? { id: written.key }
  const location = status === 201 ? { Location: `${door.base}/Users/${written.key}` } : {}
  sendScim(response, status, user, { ...headers, ...location })
}

async function withManager(routes: WriteUsers, response: Response, before: User, user: User): Promise<User> {
  if (user.manager === undefined || user.manager === before.manager) return user
  return { ...user, manager: await managerOf(routes, enteredBy(response), response, String(user.manager)) }
}

/** What stays where a whole user does not say it. */
const unsaid = ({ active }: User): User => (active === undefined ? {} : { active })

/** @throws ScimInvalid */
function checked(user: User): User {
  if (typeof user.userName === 'string' && user.userName.trim() !== '') return user
  throw new ScimInvalid('invalidValue', 'userName is required')
}

function callerFor(request: Request, response: Response, action: 'create' | 'update'): Caller {
  const { integration, mapping }: ScimDoor = enteredBy(response)
  return {
    ...callerOf(request, response),
    person: undefined,
    grant: granted(response, mapping.definition.object, action),
    source: `integration:${integration.key}`,
    ...(integration.state === 'initialising' && { quiet: true }),
  }
}

/** Versions here are strong; a proxy that packs answers makes them weak. */
function versionsOf(request: Request): ExpectedVersion | undefined {
  const given = request.headers['if-match']
  return given === undefined ? undefined : ifMatch({ headers: { 'if-match': given.replaceAll('W/', '') } })
}
