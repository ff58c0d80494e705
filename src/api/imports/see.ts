/**
 * Who sees an import: who may import into its object. Its rows hold what was in the file, so those whose rights are narrowed to
 * some rows or fields see their own imports only.
 */
import type { Response } from 'express'
import { fieldOf, type Definitions } from '../../domain/definition.ts'
import { NotFound } from '../../domain/errors.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { anyOf } from '../../domain/filter/combine.ts'
import type { Access } from '../../rights/access.ts'
import type { Import } from '../../imports/import.ts'
import type { Imports } from '../../imports/imports.ts'
import { importDefinition } from '../../imports/objects.ts'
import { principalOf } from '../http/request-context.ts'
import { granted } from '../policy.ts'

const seesAll = (access: Access, object: string): boolean =>
  ['import', 'read'].every((action) => {
    const grant = access.grant(object, action as 'import' | 'read')
    return grant !== undefined && grant.shares === undefined
  })

/** @throws NotFound for an import that is not there, or not theirs to see; Refusal (403) without the grant */
export async function seenImport(imports: Imports, response: Response, key: string): Promise<Import> {
  const { company, actor, person, access } = principalOf(response)
  const whole = await imports.find(company, key)
  granted(response, whole.object, 'import')
  const isOwn = whole.by === actor || whole.person === person
  if (!isOwn && !seesAll(access, whole.object)) throw new NotFound(`there is no import ${key.slice(0, 100)}`)
  return whole
}

/** Of a list: those that the principal sees. */
export function seenImports(definitions: Definitions, response: Response): Filter {
  const { actor, person, access } = principalOf(response)
  const objects = [...definitions.keys()].filter((object) => access.grant(object, 'import'))
  const isOneOf = (name: string, values: readonly string[]): Filter =>
    values.length === 0
      ? { op: 'constant', value: false }
      : {
          op: 'in',
          path: {
            text: name,
            hops: [],
            on: importDefinition,
            field: fieldOf(importDefinition, name)!,
            kind: 'text',
          },
          values,
          negated: false,
        }
  const ofAll = isOneOf(
    'Object',
    objects.filter((object) => seesAll(access, object)),
  )
  const own: Filter = {
    op: 'and',
    terms: [isOneOf('Object', objects), anyOf([isOneOf('By', [actor]), isOneOf('Person', [person])])],
  }
  return anyOf([ofAll, objects.length === 0 ? { op: 'constant', value: false } : own])
}
