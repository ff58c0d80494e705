/**
 * The attributes of SCIM users (RFC 7643) that fields of records can stand behind. What else the RFC knows is taken and passed
 * over: directories send all that they have.
 */

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/**
 * `work`: of a list the one whose type is work. `reference`: another user.
 */
export type AttributeKind = 'text' | 'boolean' | 'work' | 'reference'

export interface Attribute {
  readonly kind: AttributeKind
  readonly schema: typeof USER | typeof ENTERPRISE
  readonly attribute: string
  /** Of a complex attribute. */
  readonly sub?: string
  readonly caseExact: boolean
  readonly description: string
}

const of = (
  schema: Attribute['schema'],
  kind: AttributeKind,
  name: string,
  description: string,
  caseExact = false,
): Attribute => {
  const [attribute = '', sub] = name.split('.')
  return { kind, schema, attribute, ...(sub !== undefined && { sub }), caseExact, description }
}

/** By the names that files use. */
export const ATTRIBUTES = {
  userName: of(USER, 'text', 'userName', 'What the user logs in with; no two users have the same.'),
  externalId: of(USER, 'text', 'externalId', 'What the client knows the user by.', true),
  displayName: of(USER, 'text', 'displayName', 'The name to be shown.'),
  'name.givenName': of(USER, 'text', 'name.givenName', 'The given name.'),
  'name.familyName': of(USER, 'text', 'name.familyName', 'The family name.'),
  'name.middleName': of(USER, 'text', 'name.middleName', 'The middle names.'),
  nickName: of(USER, 'text', 'nickName', 'The casual name.'),
  title: of(USER, 'text', 'title', 'What the user does.'),
  userType: of(USER, 'text', 'userType', 'How the user belongs to the organisation.'),
  preferredLanguage: of(USER, 'text', 'preferredLanguage', 'The language that the user prefers.'),
  locale: of(USER, 'text', 'locale', 'How dates and numbers are written for the user.'),
  timezone: of(USER, 'text', 'timezone', 'The time zone, as in Europe/Berlin.'),
  active: of(USER, 'boolean', 'active', 'Whether the user works here now.'),
  'emails.work': of(USER, 'work', 'emails', 'The e-mail address at work.'),
  'phoneNumbers.work': of(USER, 'work', 'phoneNumbers', 'The telephone number at work.'),
  employeeNumber: of(ENTERPRISE, 'text', 'employeeNumber', 'The number in the organisation.'),
  costCenter: of(ENTERPRISE, 'text', 'costCenter', 'The cost centre.'),
  organization: of(ENTERPRISE, 'text', 'organization', 'The organisation.'),
  division: of(ENTERPRISE, 'text', 'division', 'The division.'),
  department: of(ENTERPRISE, 'text', 'department', 'The department.'),
  manager: of(ENTERPRISE, 'reference', 'manager', 'The user that this one reports to.'),
} as const satisfies Record<string, Attribute>

export type AttributeName = keyof typeof ATTRIBUTES

export const ATTRIBUTE_NAMES = Object.keys(ATTRIBUTES) as [AttributeName, ...AttributeName[]]

/** Of the RFC, and with nothing of ours behind them: in lowercase. */
export const PASSED_OVER: ReadonlySet<string> = new Set(
  `name.formatted name.honorificprefix name.honorificsuffix profileurl password ims photos addresses groups
  entitlements roles x509certificates`.split(/\s+/),
)

/** What the service gives, in lowercase. */
export const ASSIGNED: ReadonlySet<string> = new Set(['id', 'meta', 'schemas'])
