/** `/api/v1/identity`: users, roles, tokens, companies, login. `compose/parts/identity.ts` lists its parts. */
import { Router } from 'express'
import type { Area } from '../area.ts'
import type { IdentityPart } from './part.ts'
import { loginRoutes, type LoginRoutes } from './login.ts'
import { loginPaths, loginSchemas } from './openapi/login.ts'

export interface IdentityRoutes extends LoginRoutes {
  readonly parts: readonly IdentityPart[]
}

export function identityArea({ parts, ...login }: IdentityRoutes): Area {
  const router = Router({ caseSensitive: true })
  for (const part of parts) router.use(part.router)
  const all = [{ paths: loginPaths, schemas: loginSchemas }, ...parts]
  return {
    segment: 'identity',
    openRouter: loginRoutes(login),
    router,
    openapi: {
      tag: { name: 'Identity', description: 'Companies, users, sessions and tokens.' },
      paths: Object.assign({}, ...all.map(({ paths }) => paths)) as Area['openapi']['paths'],
      schemas: Object.assign({}, ...all.map(({ schemas }) => schemas ?? {})) as NonNullable<
        Area['openapi']['schemas']
      >,
    },
  }
}
