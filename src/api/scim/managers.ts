/** The user that a directory means by a manager: by the Id here, or by what it knows the user by. */
import type { Response } from 'express'
import { anyOf } from '../../domain/filter/combine.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { parseAttributePath } from '../../integrations/scim/filter/parse.ts'
import { recordFilter } from '../../integrations/scim/filter/record-filter.ts'
import { ScimInvalid } from '../../integrations/scim/invalid.ts'
import { narrowingOf, type Narrowed } from '../records/narrowed.ts'
import type { ScimDoor } from './door.ts'

const KNOWN_BY = ['externalId', 'userName', 'employeeNumber'] as const

/** @throws ScimInvalid where there is not one */
export async function managerOf(
  routes: Narrowed,
  { mapping }: ScimDoor,
  response: Response,
  value: string,
): Promise<string> {
  const { definition, all } = mapping
  if (isKeyOf(definition.object, value)) return value
  const { view, company } = narrowingOf(routes, response)
  const names = KNOWN_BY.filter((name) => all.some((one) => one.name === name))
  const path = (name: string) => parseAttributePath(name, 'invalidValue')
  const filter = anyOf(
    names.map((name) =>
      recordFilter({ op: 'eq', path: path(name), value }, { mapping, definitions: view.definitions }),
    ),
  )
  const query = { object: definition.object, filter, sort: [], offset: 0, limit: 2, expand: [] }
  const { records } = await routes.readModels.list(company, view.query(query))
  if (records.length === 1) return records[0]!.key
  const wrong = `manager.value: ${value.slice(0, 100)} is not one user here`
  throw new ScimInvalid('invalidValue', `${wrong}; send the Id of a user that was created before`)
}
