/** Who is there before a user is made or renamed. */
import { fieldOf } from '../../domain/definition.ts'
import { Conflict } from '../../domain/errors.ts'
import { foldedText } from '../../domain/fields/folded-text.ts'
import type { Fields } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { User } from '../../integrations/scim/user.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { ScimDoor } from './door.ts'

/** @throws Conflict where another user has the name, in any case */
export async function checkFree(
  readModels: Pick<ReadModels, 'list'>,
  { integration, mapping: { definition, userName } }: ScimDoor,
  user: User,
): Promise<void> {
  const field = fieldOf(definition, userName.field)!
  const path = { text: field.name, hops: [], on: definition, field, kind: 'text' } as const
  const text = foldedText(String(user.userName))
  const { total } = await readModels.list(integration.company, {
    object: definition.object,
    filter: { op: 'equalsFolded', path, text, negated: false },
    sort: [],
    offset: 0,
    limit: 0,
    expand: [],
  })
  if (total > 0)
    throw new Conflict('another user has this userName', [
      { Field: field.name, Message: 'is that of another user' },
    ])
}

/** The record that is meant by what a new user would have, where it is there and not a user yet. */
export async function alreadyThere(
  work: Pick<IntegrationWork, 'ownerOf' | 'states'>,
  { integration: { company }, mapping: { definition, by, userName } }: ScimDoor,
  body: Fields,
): Promise<(RecordState & { readonly key: string }) | undefined> {
  const value = by && body[by.field]
  if (by === undefined || typeof value !== 'string') return undefined
  const key = await work.ownerOf(company, definition, { field: fieldOf(definition, by.field)!, value })
  const state = key === undefined ? undefined : await work.states.load(company, key)
  if (key === undefined || state?.status !== 'live' || state.fields[userName.field] !== undefined)
    return undefined
  return { ...state, key }
}
