/** What a file of an integration says of objects, fields, events, credentials and its own entries must be there. */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { faultsOf } from '../../domain/errors.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { Expression } from '../../integrations/definition/expression-schema.ts'
import type { IntegrationDefinition } from '../../integrations/definition/integration-schema.ts'
import type { Received, Rule } from '../../integrations/definition/receive-schema.ts'
import type { VerifyScheme } from '../../integrations/definition/verify-schema.ts'
import { expressionsOf } from '../../integrations/mapping/parts.ts'
import { checkScim } from './check-scim.ts'

type Report = (path: readonly PropertyKey[], reason: string) => void

/** Every fault, each with its place in the file. */
export function checkIntegration(
  file: IntegrationDefinition,
  definitions: Definitions,
  report: Report,
): void {
  checkCredentials(file, report)
  for (const list of ['receive', 'poll', 'watch', 'send'] as const) checkNames(file[list], list, report)
  for (const [index, entry] of file.receive.entries()) {
    if (entry.verify.some((scheme) => 'refetch' in scheme) && entry.refetch === undefined)
      report(['receive', index, 'refetch'], 'is required where nothing is signed')
    checkSigned(entry, ['receive', index, 'map'], report)
    checkMeaning(entry, file, (reason) => report(['receive', index], reason))
    for (const [place, rule] of entry.map.entries())
      checkRule(rule, definitions, (path, reason) =>
        report(['receive', index, 'map', place, ...path], reason),
      )
  }
  for (const [index, { as, since }] of file.poll.entries())
    checkPolled(file, as, since !== undefined, (reason) => report(['poll', index, 'as'], reason))
  checkWatches(file, report)
  checkSubscribed(file, report)
  checkScim(file, definitions, report)
  for (const [index, { object, filter, request, ...once }] of file.send.entries()) {
    if (request.method === 'POST' && !once.idempotency && !once.find && !once.upsert)
      report(['send', index, 'request'], 'is a POST: say by idempotency, find or upsert how it is done once')
    const definition = objectAt(object, definitions, (reason) => report(['send', index, 'object'], reason))
    if (definition && filter !== undefined)
      checkFilter(filter, definition, definitions, (reason) => report(['send', index, 'filter'], reason))
  }
  for (const [object, fields] of Object.entries(file.owners)) {
    const definition = objectAt(object, definitions, (reason) => report(['owners', object], reason))
    for (const field of Object.keys(fields))
      if (definition) checkField(field, definition, (reason) => report(['owners', object, field], reason))
  }
}

/** A message is mapped, or has a poll run. */
function checkMeaning(
  { polls, map }: Received,
  { poll }: IntegrationDefinition,
  report: (reason: string) => void,
) {
  if (polls === undefined && map.length === 0) report('must have a rule in map, or polls')
  if (polls !== undefined && map.length > 0) report('has polls: it cannot have a map, too')
  const names = poll.map(({ name }) => name)
  if (polls !== undefined && !names.includes(polls))
    report(`there is no poll ${polls}${meantName(polls, names)}`)
}

function checkWatches({ watch, receive, credentials }: IntegrationDefinition, report: Report): void {
  const entries = receive.map(({ name }) => name)
  const secrets = credentials.map(({ name }) => name)
  for (const [index, { as, secret }] of watch.entries()) {
    if (!entries.includes(as))
      report(['watch', index, 'as'], `there is no entry ${as} in receive${meantName(as, entries)}`)
    if (!secrets.includes(secret))
      report(['watch', index, 'secret'], `there is no credential ${secret}${meantName(secret, secrets)}`)
  }
}

function checkPolled(
  { receive }: IntegrationDefinition,
  as: string,
  hasTimes: boolean,
  report: (reason: string) => void,
): void {
  const entry = receive.find(({ name }) => name === as)
  const names = receive.map(({ name }) => name)
  if (!entry) report(`there is no entry ${as} in receive${meantName(as, names)}`)
  else if (entry.each !== undefined) report(`${as} reads lists, and not the items of one`)
  else if (entry.body !== 'json') report(`${as} reads forms, and not the items of a list`)
  // Else an item that goes back to what it was would seem to be a repeat.
  else if (entry.id === undefined && !hasTimes)
    report(`${as} needs an id that changes with the item, or the poll since`)
}

function checkSubscribed(
  { subscribe, receive, poll, send, authentication }: IntegrationDefinition,
  report: Report,
) {
  if (!subscribe) return
  const entry = receive.find(({ name }) => name === subscribe.as)
  const place = ['subscribe', 'as']
  if (!entry) report(place, `there is no entry ${subscribe.as} in receive`)
  else if (!entry.verify.some((scheme) => 'subscribed' in scheme))
    report(place, `${subscribe.as} must have the verify [{"subscribed": true}]`)
  else if (entry.body === 'form') report(place, `${subscribe.as} reads forms, and not what a broker delivers`)
  if (poll.length > 0 || send.length > 0)
    report(['subscribe'], 'leads to a broker: there can be no poll or send')
  if (authentication && !('basic' in authentication))
    report(['authentication'], 'must be basic: a broker knows a user and a password')
}

function checkNames(entries: readonly { readonly name: string }[], list: string, report: Report): void {
  const names = entries.map(({ name }) => name)
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index) report([list, index, 'name'], `${name} is there already`)
}

function checkRule(rule: Rule, definitions: Definitions, report: Report): void {
  const definition = objectAt(rule.object, definitions, (reason) => report(['object'], reason))
  if (!definition) return
  if (definition.appendOnly) {
    for (const part of ['by', 'link', 'guard', 'action'] as const)
      if (rule[part] !== undefined)
        report([part], `${definition.object} is appendOnly: its records are only created`)
  } else if (rule.by === undefined && rule.link === undefined)
    report([], 'must say by which unique field or link the record is found')
  for (const name of Object.keys(rule.by ?? {}))
    if (!definition.fields.some((field) => field.name === name && field.unique))
      report(['by', name], `is not a unique field of ${definition.object}`)
  for (const [name, value] of Object.entries(rule.set)) {
    checkField(name, definition, (reason) => report(['set', name], reason))
    checkLookups(value, definitions, (reason) => report(['set', name], reason))
  }
  if (rule.guard !== undefined)
    checkFilter(rule.guard, definition, definitions, (reason) => report(['guard'], reason))
  const actions = definition.workflow?.transitions?.map(({ action }) => action) ?? []
  if (rule.action !== undefined && !actions.includes(rule.action))
    report(
      ['action'],
      `${definition.object} has no action ${rule.action}; it has ${actions.join(', ') || 'none'}`,
    )
}

function checkLookups(value: Expression, definitions: Definitions, report: (reason: string) => void): void {
  for (const inner of expressionsOf(value)) {
    if (typeof inner === 'string' || !('lookup' in inner)) continue
    if (inner !== value) report('a lookup must not stand inside another expression')
    const target = objectAt(inner.lookup, definitions, report)
    const names = target?.fields.map(({ name }) => name) ?? []
    for (const field of [inner.by, ...(inner.take === undefined ? [] : [inner.take])])
      if (target && !names.includes(field))
        report(`${inner.lookup} has no field ${field}${meantName(field, names)}`)
  }
}

/** A signature over chosen fields says nothing of the others: nothing may be read from those, unless all is proven otherwise. */
function checkSigned(entry: Received, place: readonly PropertyKey[], report: Report): void {
  if (entry.verify.some(coversAll)) return
  const signed = new Set(entry.verify.flatMap(signedFields))
  for (const [index, { when, set, by, link }] of entry.map.entries()) {
    const made = [...Object.values(set), ...Object.values(by ?? {}), ...(link === undefined ? [] : [link])]
    const read = [...Object.keys(when ?? {}), ...made.flatMap(expressionsOf)]
    for (const path of read)
      if (typeof path === 'string' && !signed.has(path))
        report([...place, index], `reads ${path}, which is not signed: verify must have a second scheme`)
  }
}

function coversAll(scheme: VerifyScheme): boolean {
  return !('hmac' in scheme) || scheme.content.includes('body') || scheme.content.some(isDigest)
}

function isDigest(piece: unknown): boolean {
  return typeof piece === 'object' && piece !== null && 'header' in piece
}

function signedFields(scheme: VerifyScheme): readonly string[] {
  if (!('hmac' in scheme)) return []
  return scheme.content.flatMap((piece) =>
    typeof piece === 'object' && 'field' in piece ? [piece.field] : [],
  )
}

function checkCredentials(file: IntegrationDefinition, report: Report): void {
  const known = new Set(file.credentials.map(({ name }) => name))
  const check = (name: string | undefined, path: readonly PropertyKey[]) => {
    if (name !== undefined && !known.has(name))
      report(path, `there is no credential ${name}${meantName(name, [...known])}`)
  }
  for (const [index, { verify }] of file.receive.entries())
    for (const [place, scheme] of verify.entries())
      for (const name of credentialsOf(scheme)) check(name, ['receive', index, 'verify', place])
  const { authentication } = file
  if (authentication === undefined) return
  const named =
    'bearer' in authentication
      ? [authentication.bearer]
      : 'basic' in authentication
        ? [authentication.basic.user, authentication.basic.password]
        : 'oauth2' in authentication
          ? [
              authentication.oauth2.clientId,
              authentication.oauth2.clientSecret,
              authentication.oauth2.refreshToken,
            ]
          : 'session' in authentication
            ? Object.values(authentication.session.parameters)
            : [authentication.secret]
  for (const name of named) check(name, ['authentication'])
}

function credentialsOf(scheme: VerifyScheme): readonly string[] {
  if ('bearer' in scheme) return [scheme.bearer]
  if ('basic' in scheme) return [scheme.basic.user, scheme.basic.password]
  return 'secret' in scheme ? [scheme.secret] : []
}

function objectAt(
  object: string,
  definitions: Definitions,
  report: (reason: string) => void,
): ObjectDefinition | undefined {
  const definition = definitions.get(object)
  if (!definition || definition.internal)
    report(`there is no object ${object}${meantName(object, [...definitions.keys()])}`)
  return definition?.internal ? undefined : definition
}

function checkField(
  name: string,
  { fields, object }: ObjectDefinition,
  report: (reason: string) => void,
): void {
  const field = fields.find((one) => one.name === name)
  if (!field) {
    const names = fields.map((one) => one.name)
    report(`${object} has no field ${name}${meantName(name, names)}`)
  } else if (field.readOnly) report(`${name} is assigned by the service`)
}

function checkFilter(
  text: string,
  definition: ObjectDefinition,
  definitions: Definitions,
  report: (reason: string) => void,
): void {
  for (const { Message } of faultsOf(() => parseFilter(text, definition, definitions, 'kept')))
    report(Message)
}
