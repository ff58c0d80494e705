/** A filter as RFC 7644 (3.4.2.2) has it, after parsing. Names are as the client wrote them. */

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Operator = (typeof OPERATORS)[number]

/** `urn:…:User:name.givenName` is the schema, the attribute and its part. */
export interface AttributePath {
  readonly schema: string | undefined
  readonly attribute: string
  readonly sub: string | undefined
}

export type ScimValue = string | number | boolean | null

export type ScimFilter =
  | { readonly op: 'and' | 'or'; readonly terms: readonly ScimFilter[] }
  | { readonly op: 'not'; readonly term: ScimFilter }
  | { readonly op: 'pr'; readonly path: AttributePath }
  | { readonly op: Operator; readonly path: AttributePath; readonly value: ScimValue }
  /** `emails[type eq "work"]`: an element that passes the filter. */
  | { readonly op: 'some'; readonly path: AttributePath; readonly filter: ScimFilter }
