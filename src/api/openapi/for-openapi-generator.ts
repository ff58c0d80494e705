/**
 * The document for openapi-generator 7, which makes code that does not compile of webhooks, loses the models of forms beside
 * other types of body, and for Java reads closed objects as maps and does not escape members named `True` and `False`. What is left
 * out is said by the whole document only.
 */
import type { Content, OpenApiDocument, Schema } from './document.ts'

const FORM = 'multipart/form-data'

/** Without webhooks, without such forms and members, and with open objects. */
export function forOpenApiGenerator({ webhooks: _left, ...document }: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document), (name: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (name === 'content') return withoutForm(value as Content)
    if (name !== 'properties' && hasLiterals(value)) return { type: 'object', additionalProperties: true }
    return isClosed(value) ? { ...value, additionalProperties: undefined } : value
  }) as OpenApiDocument
}

function withoutForm({ [FORM]: form, ...others }: Content): Content {
  return form && Object.keys(others).length === 0 ? { [FORM]: form } : others
}

function isClosed(value: object): boolean {
  return 'properties' in value && 'additionalProperties' in value && value.additionalProperties === false
}

function hasLiterals(value: object): boolean {
  const { properties = {} } = value as Schema
  return 'True' in properties || 'False' in properties
}
