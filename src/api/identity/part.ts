/** A part of `/api/v1/identity`: its routes and their OpenAPI description. */
import type { Router } from 'express'
import type { PathItem, Schema } from '../openapi/document.ts'

export interface IdentityPart {
  readonly router: Router
  /** By full path. */
  readonly paths: { readonly [path: string]: PathItem }
  readonly schemas?: { readonly [name: string]: Schema }
}
