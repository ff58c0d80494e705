/** The parts of OpenAPI 3.1 that Daybook's description of itself is made of. */
import type { FieldDefinition } from '../../domain/definition.ts'

/** A JSON Schema (2020-12), with the field that it describes where it describes one. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly 'x-field'?: Omit<FieldDefinition, 'name' | 'description'>
  readonly [keyword: string]: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly style?: 'form'
  readonly explode?: boolean
  readonly 'x-go-name'?: string
  readonly schema: Schema
  readonly example?: string | number | readonly string[]
}

export interface Reference {
  readonly $ref: string
}

export interface MediaType {
  readonly schema: Schema
  readonly example?: unknown
}

export interface Content {
  readonly [mediaType: string]: MediaType
}

export interface Response {
  readonly description: string
  readonly headers?: {
    readonly [name: string]:
      Reference | { readonly description: string; readonly required?: boolean; readonly schema: Schema }
  }
  readonly content?: Content
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: { readonly [status: string]: Response | Reference }
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type PathItem = { readonly [method in Method]?: Operation }

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly object[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** Tags by application: how readers group them (understood by Redoc and others). */
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[]
  readonly paths: { readonly [path: string]: PathItem }
  /** What is sent to webhooks, by the name of the event. */
  readonly webhooks?: { readonly [event: string]: PathItem }
  readonly components: {
    readonly securitySchemes: { readonly [name: string]: object }
    readonly schemas: { readonly [name: string]: Schema }
    readonly parameters: { readonly [name: string]: Parameter }
    readonly headers: { readonly [name: string]: object }
    readonly responses: { readonly [name: string]: Response }
  }
}

export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function reference(kind: 'parameters' | 'headers' | 'responses', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}
