/** The object that a path names, for every route below `/:object`. */
import type { Request } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { NotFound } from '../../domain/errors.ts'
import { meantName } from '../../domain/filter/closest-name.ts'

/** @throws NotFound when there is none, or it is one that the service keeps for itself */
export function objectNamed(definitions: Definitions, request: Request): ObjectDefinition {
  const object = request.params['object'] as string
  const definition = definitions.get(object)
  if (!definition || definition.internal) throw new NoSuchObject(object, objectsOf(definitions))
  return definition
}

/** The path begins as if it were about an object. Where none is near, a route of the service may have been meant. */
export class NoSuchObject extends NotFound {
  readonly hasNear: boolean
  constructor(object: string, objects: readonly string[]) {
    const near = meantName(object, objects)
    super(
      `there is no object ${object.slice(0, 100)}${near || '; GET /api/v1/objects lists them, and /docs all routes'}`,
    )
    this.hasNear = near !== ''
  }
}

/** Names of the objects that have generic routes. */
export function objectsOf(definitions: Definitions): string[] {
  return [...definitions.values()].filter(({ internal }) => !internal).map(({ object }) => object)
}

/** What there is no record for: unknown, deleted and foreign ones alike. */
export function noRecord({ object }: ObjectDefinition, key: string): NotFound {
  return new NotFound(`there is no ${object} ${key.slice(0, 100)}`)
}
