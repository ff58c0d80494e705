/** `PUT /{object}/by/{Field}/{value}`: creates the record that has this unique value, or updates the one that has it. */
import type { Request } from 'express'
import type { Caller } from '../../commands/command.ts'
import { duplicate, type Claim } from '../../commands/support/unique-claims.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { fieldOf, type FieldDefinition, type ObjectDefinition } from '../../domain/definition.ts'
import { Conflict, invalid, NotFound, PreconditionFailed } from '../../domain/errors.ts'
import { readValue } from '../../domain/fields/field-values.ts'
import { ValueFault } from '../../domain/fields/types/rules.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Grant } from '../../domain/grant.ts'
import { isObject, type Json } from '../../domain/json.ts'
import { ifMatch, onlyIfNew } from '../http/conditional.ts'

export interface Upsert {
  readonly write: WriteRecords
  /** The record that has the unique value. */
  readonly ownerOf: (
    company: Company,
    definition: ObjectDefinition,
    claim: Claim,
  ) => Promise<string | undefined>
}

/** Times that it starts again because another request created or deleted the record in between. */
const ATTEMPTS = 3

export async function upsert(
  { write, ownerOf }: Upsert,
  caller: Caller,
  /** What the caller may create; the caller's own grant is about updates. */
  creating: Grant,
  definition: ObjectDefinition,
  request: Request,
): Promise<Written> {
  const field = uniqueField(definition, request.params['field'] as string)
  const value = valueOf(field, request.params['value'] as string)
  const body = withValue(field, value, request.body as Json)
  const expected = ifMatch(request)
  const isForNew = onlyIfNew(request)
  const created = await write.doneBefore(caller, definition.object)
  if (created) return created
  for (let attempt = 1; ; attempt++) {
    const key = await ownerOf(caller.company, definition, { field, value })
    const updated = key && (await write.doneBefore(caller, key))
    if (updated) return updated
    try {
      if (!key && expected) throw new PreconditionFailed(`no ${definition.object} has this ${field.name}`)
      if (key && isForNew) throw new PreconditionFailed(`another ${definition.object} has this ${field.name}`)
      return key
        ? await write.update(caller, { definition, key, expected, body, writing: 'replace' })
        : await write.create({ ...caller, grant: creating }, { definition, body })
    } catch (error) {
      const overtaken = key ? error instanceof NotFound : error instanceof Conflict
      if (!overtaken) throw error
      // A record that the caller may not write is there all the same: its value is taken, its Key is not shown.
      if (attempt === ATTEMPTS) throw key ? duplicate(definition, field) : error
    }
  }
}

function uniqueField(definition: ObjectDefinition, name: string): FieldDefinition {
  const field = fieldOf(definition, name)
  if (!field?.unique || field.readOnly)
    throw new NotFound(`${definition.object} has no unique field ${name.slice(0, 100)} to write by`)
  return field
}

/** The value in the path as the field's type has it. */
function valueOf(field: FieldDefinition, text: string): Json {
  const value = readValue(field, field.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text)
  if (value instanceof ValueFault) throw invalid(field.name, value.message)
  return value
}

/** The body need not repeat the value; if it does, it must be the same. */
function withValue(field: FieldDefinition, value: Json, body: Json): Json {
  if (!isObject(body)) throw invalid('', 'must be a JSON object')
  if (Object.hasOwn(body, field.name) && body[field.name] !== value)
    throw invalid(field.name, 'is not the value in the path')
  return { ...body, [field.name]: value }
}
