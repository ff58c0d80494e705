/** What tokens and logins of tools have in common in OpenAPI: how they are asked for, and what is shown of them once. */
import type { ObjectDefinition } from '../../../domain/definition.ts'
import { newCredential } from '../../../identity/bodies.ts'
import { described } from '../../openapi/described.ts'
import type { Schema } from '../../openapi/document.ts'
import { closed, readSchemas, recordProperties, ROLES } from '../../openapi/service-object.ts'

export interface CredentialOf {
  /** As its routes show it. */
  readonly definition: ObjectDefinition
  /** In sentences, such as `token`. */
  readonly called: string
  /** What only the answer to its creation has. */
  readonly once: { readonly [name: string]: Schema }
}

/** `X`, `X.Issued` and `X.Create`. */
export function credentialSchemas({ definition, called, once }: CredentialOf): {
  readonly [name: string]: Schema
} {
  return {
    ...readSchemas(definition, { Roles: ROLES }),
    [`${definition.name}.Issued`]: {
      ...closed({ ...recordProperties(definition, { Roles: ROLES }), ...once }),
      description: `A ${called} with what is shown of it only this once.`,
    },
    [`${definition.name}.Create`]: {
      ...described(newCredential),
      description: `A new ${called}. You can only give it roles that you have.`,
    },
  }
}
