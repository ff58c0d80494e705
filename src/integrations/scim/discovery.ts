/** What the server says of itself (RFC 7643, 5 to 7): its features, its one type of resources, and the schemas of users. */
import type { Json } from '../../domain/json.ts'
import { ENTERPRISE, USER, type Attribute } from './attributes.ts'
import { isAlwaysThere, type Mapped, type ScimMapping } from './mapping.ts'

type Document = { readonly [name: string]: Json }

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'
export const MOST_RESULTS = 200

/** @param base address of the server */
export function serviceProviderConfig(base: string): Document {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The credential of the integration, as Authorization: Bearer.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

export function resourceTypes(mapping: ScimMapping, base: string): readonly Document[] {
  const extends_ = mapping.all.some(({ attribute }) => attribute.schema === ENTERPRISE)
  return [
    {
      schemas: [`${CORE}:ResourceType`],
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      description: mapping.definition.description ?? 'Users',
      schema: USER,
      schemaExtensions: extends_ ? [{ schema: ENTERPRISE, required: false }] : [],
      meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
    },
  ]
}

export function schemas(mapping: ScimMapping, base: string): readonly Document[] {
  const described = [
    { id: USER, name: 'User', description: 'User account' },
    { id: ENTERPRISE, name: 'EnterpriseUser', description: 'Enterprise user' },
  ]
  return described.flatMap((about) => {
    const attributes = attributesOf(mapping.all.filter(({ attribute }) => attribute.schema === about.id))
    if (attributes.length === 0) return []
    const meta = { resourceType: 'Schema', location: `${base}/Schemas/${about.id}` }
    return [{ schemas: [`${CORE}:Schema`], ...about, attributes, meta }]
  })
}

function attributesOf(all: readonly Mapped[]): readonly Document[] {
  const names = [...new Set(all.map(({ attribute }) => attribute.attribute))]
  return names.map((name) => {
    const parts = all.filter(({ attribute }) => attribute.attribute === name)
    return parts[0]!.attribute.sub === undefined ? attributeOf(parts[0]!) : complexOf(name, parts)
  })
}

function complexOf(name: string, parts: readonly Mapped[]): Document {
  const subAttributes = parts.map((part) => ({ ...attributeOf(part), name: part.attribute.sub! }))
  const mutability = parts.every(({ isOurs }) => isOurs) ? 'readOnly' : 'readWrite'
  const description = 'The parts of the name.'
  return { ...common({ name, type: 'complex', description, mutability }), subAttributes }
}

function attributeOf(mapped: Mapped): Document {
  const { attribute, isOurs, name: of } = mapped
  const { attribute: name, description, kind, caseExact } = attribute
  const mutability = isOurs ? 'readOnly' : 'readWrite'
  const about = { name, description, mutability, required: isAlwaysThere(mapped) }
  switch (kind) {
    case 'boolean':
      return common({ ...about, type: 'boolean' })
    case 'text':
      return {
        ...common({ ...about, type: 'string' }),
        caseExact,
        uniqueness: of === 'userName' ? 'server' : 'none',
      }
    case 'work':
      return {
        ...common({ ...about, type: 'complex' }),
        multiValued: true,
        subAttributes: workParts(attribute, mutability),
      }
    case 'reference':
      return { ...common({ ...about, type: 'complex' }), subAttributes: referenceParts(mutability) }
  }
}

interface Common {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly mutability: string
  readonly required?: boolean
}

const common = ({ required = false, ...about }: Common): Document => ({
  ...about,
  multiValued: false,
  required,
  returned: 'default',
})

const textPart = (name: string, description: string, mutability: string): Document => ({
  ...common({ name, type: 'string', description, mutability }),
  caseExact: false,
  uniqueness: 'none',
})

const workParts = (
  { description }: Pick<Attribute, 'description'>,
  mutability: string,
): readonly Document[] => [
  textPart('value', description, mutability),
  { ...textPart('type', 'Others than work are not kept.', mutability), canonicalValues: ['work'] },
  common({ name: 'primary', type: 'boolean', description: 'It is the only one.', mutability }),
]

const referenceParts = (mutability: string): readonly Document[] => [
  { ...textPart('value', 'The Id of the user.', mutability), caseExact: true },
  {
    ...common({ name: '$ref', type: 'reference', description: 'The address of the user.', mutability }),
    referenceTypes: ['User'],
    caseExact: true,
    uniqueness: 'none',
  },
]
