/**
 * The query parameters that say what a header would (`http/header-parameters.ts`): each operation that takes such a header
 * takes its parameter too, so they are added here and not with each operation.
 */
import { reference, type Method, type Operation, type Parameter, type PathItem } from './document.ts'

const TWINS = [
  ['IdempotencyKey', 'idempotencyKey', 'Idempotency-Key'],
  ['IfMatch', 'ifMatch', 'If-Match'],
  ['AtLeast', 'atLeast', 'Daybook-At-Least'],
  ['Reason', 'reason', 'Daybook-Reason'],
] as const

/** By component name: `IdempotencyKeyInQuery`. */
export const headerParameters: { readonly [name: string]: Parameter } = Object.fromEntries(
  TWINS.map(([component, name, header]) => [
    `${component}InQuery`,
    {
      // Without it oapi-codegen gives this one and the header the same name.
      'x-go-name': `${component}InQuery`,
      name,
      in: 'query',
      description:
        `Says what the header \`${header}\` would, for pages of another origin, which cannot send it` +
        (component === 'Reason' ? '; percent-encoded once, as any parameter is.' : '.'),
      schema: { type: 'string' },
    },
  ]),
)

const twins = new Map(
  TWINS.map(([component]) => [
    reference('parameters', component).$ref,
    reference('parameters', `${component}InQuery`),
  ]),
)

/** The paths, with each operation's parameters for headers behind its others. */
export function withHeaderParameters(paths: { readonly [path: string]: PathItem }): {
  readonly [path: string]: PathItem
} {
  const completed = (operation: Operation): Operation => {
    const { parameters = [] } = operation
    const more = parameters.flatMap((one) => ('$ref' in one ? (twins.get(one.$ref) ?? []) : []))
    return more.length > 0 ? { ...operation, parameters: [...parameters, ...more] } : operation
  }
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method as Method, completed(operation)]),
      ),
    ]),
  )
}
