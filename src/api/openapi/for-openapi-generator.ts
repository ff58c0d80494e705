/**
 * The document for openapi-generator 7, which makes code that does not compile of webhooks, loses the models of forms beside
 * other types of body, and for Java reads closed objects as maps. What is left out is said by the whole document only.
 */
import type { Content, OpenApiDocument } from './document.ts'

const FORM = 'multipart/form-data'

/** Without webhooks, without such forms, and with open objects. */
export function forOpenApiGenerator({ webhooks: _left, ...document }: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document), (name: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (name === 'content') return withoutForm(value as Content)
    return isClosed(value) ? { ...value, additionalProperties: undefined } : value
  }) as OpenApiDocument
}

function withoutForm({ [FORM]: form, ...others }: Content): Content {
  return form && Object.keys(others).length === 0 ? { [FORM]: form } : others
}

function isClosed(value: object): boolean {
  return 'properties' in value && 'additionalProperties' in value && value.additionalProperties === false
}
