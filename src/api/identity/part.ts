/** One kind of thing below `/api/v1/identity`: its routes, and what OpenAPI says of them. */
import type { Router } from 'express'
import type { PathItem, Schema } from '../openapi/document.ts'

export interface IdentityPart {
  readonly router: Router
  /** By full path. */
  readonly paths: { readonly [path: string]: PathItem }
  readonly schemas?: { readonly [name: string]: Schema }
}
