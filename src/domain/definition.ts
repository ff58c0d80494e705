/**
 * What a business object is: data, one JSON file per object (`definitions/<application>/<object>.json`).
 *
 * Everything that the service does for an object follows from this: routes, validation, filter types, read-model
 * columns, search, events, warehouse tables, OpenAPI. These types are the plain, checked form; `src/definitions/`
 * reads and checks the files.
 */
import type { Company } from './events/event.ts'
import type { Fields } from './json.ts'
import type { DateRule } from './time/date-rule.ts'

/** The type of a field; each has its rules in `fields/types/<type>.ts`. */
export type FieldType =
  | 'text'
  | 'longtext'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'money'
  | 'choice'
  | 'lookup'
  | 'email'
  | 'url'
  | 'json'

export interface FieldDefinition {
  /** PascalCase; the name in requests, responses, events and filters alike. */
  readonly name: string
  readonly type: FieldType
  readonly description?: string
  /** Must have a value after every write. */
  readonly required?: boolean
  /** Assigned by the service; a 400 in a request body. */
  readonly readOnly?: boolean
  /** No two records of a company share a value. Only text, email, url, integer and choice. */
  readonly unique?: boolean
  /** Its words are found by `search`. On a lookup: the words of the display field. */
  readonly searchable?: boolean
  /** Holds personal data: what exports and logs treat with care. */
  readonly personal?: boolean
  /** The unit of a number, for readers (`months`, `m²`). */
  readonly unit?: string
  readonly minimum?: number
  readonly maximum?: number
  /** In characters (code points). */
  readonly maxLength?: number
  /** Of a `choice`: the values. They are suggestions unless `strict`. */
  readonly choices?: readonly string[]
  readonly strict?: boolean
  /** Of a `lookup`: the object that it points to. */
  readonly target?: string
  /** Taken on create when the body has none. */
  readonly default?: string | number | boolean
  /**
   * A date computed when none is sent: the last day, inclusive, of the `months` that begin on `from`; both name
   * other fields of the object.
   */
  readonly derived?: { readonly from: string; readonly months: string }
  /** On create the date must be later than today (UTC). An import may switch this off. */
  readonly afterTodayOnCreate?: boolean
  /** The date may not lie before that of this other field. */
  readonly notBefore?: string
}

/** `{year}` is the UTC year of the create, `{sequence}` counts per company and year, zero-padded to `digits`. */
export interface Numbering {
  readonly field: string
  readonly pattern: string
  readonly digits: number
}

/** States of a record, kept in one choice field, and the actions that lead from one to the next (docs/workflow.md). */
export interface Workflow {
  readonly field: string
  readonly initial: string
  readonly states: readonly string[]
  /** States in which a record may be created beside `initial`; an import may name any. */
  readonly entry?: readonly string[]
  /** The state changes by actions only; otherwise an update may also write it (docs/open-facts.md 6b). */
  readonly strictStatus?: boolean
  /** Each has an action of its own. */
  readonly transitions?: readonly Transition[]
}

/** What an action does to the state, and when it may be taken. The caller also needs the grant `workflow:<action>`. */
export interface Transition {
  /** Lowercase letters and digits: `POST /{object}/{key}/workflow/{action}`. */
  readonly action: string
  readonly description?: string
  /** The past participle of the action, as in `submitted`: the event is `<object>.workflow.<done>`. */
  readonly done: string
  readonly from: readonly string[]
  readonly to: string
  /** Names of roles, one of which the caller must have beside the grant. */
  readonly roles?: readonly string[]
  /** A filter that the record must fulfil before the action. */
  readonly condition?: string
  /** Whether the principal who brought the record into its present state may take the action. Default: false for `approve`, otherwise true. */
  readonly selfApproval?: boolean
  readonly requiresComment?: boolean
  /** Values that fields get with the action; null clears. `now` for a timestamp, `today` (UTC) for a date. */
  readonly set?: Fields
  /** When the service takes the action by itself (docs/workflow.md#actions-that-a-date-takes). */
  readonly due?: DateRule
}

/** An event that says what a change meant, beside the event of the change itself (docs/workflow.md#named-events). */
export interface NamedEvent {
  /** `<object>.<word>`, such as `payment.received`. */
  readonly name: string
  /** A filter over the record's own fields: the event happens with the write that makes it true. */
  readonly when: string
}

export interface ObjectDefinition {
  /** Lowercase letters and digits: the path, the prefix of Keys and of event names. */
  readonly object: string
  /** PascalCase, as in the warehouse table `wh_{application}_{name}`. */
  readonly name: string
  readonly application: string
  readonly description?: string
  /** The field that stands for the record where another looks it up: `{Id, <display>}`. */
  readonly display: string
  readonly fields: readonly FieldDefinition[]
  readonly numbering?: Numbering
  readonly workflow?: Workflow
  readonly events?: readonly NamedEvent[]
  /**
   * Records come many at a time and hardly ever change: those that come in one request are stored as packs
   * (`events/packs.ts`). Such an object has no unique fields, numbers, workflow or named events.
   */
  readonly appendOnly?: true
  /**
   * Kept by the service for itself (users, tokens, webhooks …) with the same commands, events and read models, but behind
   * routes of its own: no generic routes, no warehouse table. `secrets` names fields that never leave the service: not in
   * answers, read models, history, audit, exports or logs; commands alone see them, in the folded state. `listedIn`: the
   * read models keep the records of all companies under this one. `isListed: false`: the read models do not keep them at
   * all. Not in definition files.
   */
  readonly internal?: {
    readonly secrets: readonly string[]
    /** By secret, what the audit calls it where it says that it changed. */
    readonly changedAs?: Readonly<Record<string, string>>
    readonly listedIn?: string
    readonly isListed?: false
  }
}

/** All objects of the service by their lowercase name. */
export type Definitions = ReadonlyMap<string, ObjectDefinition>

/** Fields that every record has beside those of its definition; the service assigns them. */
export const STANDARD_FIELDS: readonly FieldDefinition[] = [
  { name: 'Id', type: 'text', readOnly: true, description: "The record's Key." },
  { name: 'CreatedAt', type: 'timestamp', readOnly: true, description: 'When the record was created.' },
  { name: 'ModifiedAt', type: 'timestamp', readOnly: true, description: 'When the record last changed.' },
]

const fieldsByName = new WeakMap<ObjectDefinition, ReadonlyMap<string, FieldDefinition>>()

/** The field of that exact name, standard fields included. */
export function fieldOf(definition: ObjectDefinition, name: string): FieldDefinition | undefined {
  let fields = fieldsByName.get(definition)
  if (!fields) {
    fields = new Map([...STANDARD_FIELDS, ...definition.fields].map((field) => [field.name, field]))
    fieldsByName.set(definition, fields)
  }
  return fields.get(name)
}

/** The fields without those that never leave the service. */
export function withoutSecrets(definition: ObjectDefinition, fields: Fields): Fields {
  const secrets = definition.internal?.secrets
  if (!secrets?.length) return fields
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !secrets.includes(name)))
}

/** What an auditor is shown in place of a secret: that it was set or changed, and not to what. */
const NOT_SHOWN = '(not shown)'

/** The fields without those that never leave the service; those that have a name for it say that they changed. */
export function withSecretsNamed(definition: ObjectDefinition, fields: Fields): Fields {
  const shown = { ...withoutSecrets(definition, fields) }
  for (const [name, as] of Object.entries(definition.internal?.changedAs ?? {}))
    if (Object.hasOwn(fields, name)) shown[as] = NOT_SHOWN
  return shown
}

/** Whether the read models keep the records of the object. */
export function isListed({ internal }: ObjectDefinition): boolean {
  return internal?.isListed !== false
}

/** The company under which read models keep a record of that company. */
export function listedUnder(definition: ObjectDefinition, company: Company): Company {
  return definition.internal?.listedIn ?? company
}

/** The object that a lookup field points to. Definitions are checked on load, so it exists. */
export function targetOf(definitions: Definitions, lookup: FieldDefinition): ObjectDefinition {
  const target = definitions.get(lookup.target ?? '')
  if (!target) throw new Error(`lookup ${lookup.name} points to no object: ${lookup.target}`)
  return target
}

/** Every lookup field, of any object, that points to `object`. */
export function lookupsTo(
  definitions: Definitions,
  object: string,
): readonly { readonly definition: ObjectDefinition; readonly field: FieldDefinition }[] {
  return [...definitions.values()].flatMap((definition) =>
    definition.fields
      .filter((field) => field.type === 'lookup' && field.target === object)
      .map((field) => ({ definition, field })),
  )
}

/** The object, and every object that a path over lookups can lead to from it. */
export function lookedUpFrom(definitions: Definitions, object: string): string[] {
  const reached = new Set([object])
  for (const name of reached)
    for (const { type, target } of definitions.get(name)?.fields ?? [])
      if (type === 'lookup' && target !== undefined) reached.add(target)
  return [...reached]
}
