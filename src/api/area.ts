/**
 * A part of the API beside the records: one path segment under `/api/v1` with its routes, and what OpenAPI says of them.
 * Each is made in its own file; `compose/start-service.ts` lists them.
 */
import type { Router } from 'express'
import type { PathItem, Schema } from './openapi/document.ts'

export interface Area {
  /** The segment after `/api/v1/`; one of the reserved object names. */
  readonly segment: string
  /** Routes below the segment that anyone may ask, such as login; tried first. */
  readonly openRouter?: Router
  /** Routes below the segment that only authenticated requests reach. Every route carries its policy (`policy.ts`). */
  readonly router: Router
  readonly openapi: AreaDescription
}

export interface AreaDescription {
  readonly tag: { readonly name: string; readonly description: string }
  /** By full path, such as `/api/v1/audit`. */
  readonly paths: { readonly [path: string]: PathItem }
  readonly schemas?: { readonly [name: string]: Schema }
}
