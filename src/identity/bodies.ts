/** What the routes of identity take, as schemas: the bodies are read by them, and OpenAPI describes them from them. */
import { z } from 'zod'
import { email as emailRules } from '../domain/fields/types/email.ts'
import { ValueFault } from '../domain/fields/types/rules.ts'
import { text } from '../shapes/text.ts'
import { company } from './objects.ts'
import { newPassword } from './secrets/passwords.ts'
import { plainEmail } from './sessions/log-in.ts'

/** Checked even where other members are wrong, so that all faults are named at once. */
const always = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null }

export const roleNames = z
  .array(text(60), { error: 'must be an array of names of roles' })
  .refine((names) => new Set(names).size === names.length, { error: 'names a role twice' })
  .meta({ uniqueItems: true, description: 'Names of roles.' })

const expiresAt = z
  .string()
  .meta({ format: 'date-time', description: '1 to 365 days from now; 90 days when it is not sent.' })

const EMAIL = { name: 'Email', type: 'email' } as const
const email = z
  .string()
  .superRefine((value, context) => {
    const read = emailRules.read(plainEmail(value), EMAIL)
    if (read instanceof ValueFault) context.addIssue({ code: 'custom', message: read.message })
  })
  .meta({ format: 'email', maxLength: 254 })

export const newUser = z
  .strictObject({
    Email: email.describe('Stored in lowercase.'),
    Name: text(200),
    Password: newPassword.describe('No answer contains it.'),
    Roles: roleNames.exactOptional(),
    IsActive: z.boolean().exactOptional(),
  })
  .describe('A new user. You can only give roles that you have.')

export const changedUser = z
  .strictObject({
    Email: newUser.shape.Email.exactOptional(),
    Name: newUser.shape.Name.exactOptional(),
    Password: newUser.shape.Password.exactOptional(),
    Roles: newUser.shape.Roles,
    IsActive: newUser.shape.IsActive,
  })
  .describe('What changes; a new password ends every session of the user.')

/** Of API tokens, and of logins of tools to the warehouse. */
export const newCredential = z
  .strictObject({
    Name: text(200),
    Roles: roleNames.exactOptional(),
    Scopes: roleNames.describe('Another word for Roles.').exactOptional(),
    ExpiresAt: expiresAt.nullable().exactOptional(),
  })
  .refine(({ Roles, Scopes }) => Roles === undefined || Scopes === undefined, {
    path: ['Scopes'],
    error: 'is another word for Roles: send one of them',
    ...always,
  })
  .refine(({ Roles, Scopes }) => Roles !== undefined || Scopes !== undefined, {
    path: ['Roles'],
    error: 'is required',
    ...always,
  })

export const tokenRotation = z
  .strictObject({ ExpiresAt: expiresAt.nullable().exactOptional() })
  .describe('When the new value expires.')

/** Of the administrator that a company begins with. */
export const firstAdministrator = z.object({
  AdminEmail: email,
  AdminPassword: newPassword,
  AdminName: text(200).nullable().exactOptional(),
})

/** What they may be, the definition of the company says, here and to OpenAPI. */
const settings = Object.fromEntries(company.fields.map(({ name }) => [name, z.unknown().optional()]))
export const newCompany = z.strictObject({ ...settings, ...firstAdministrator.shape })
export const changedCompany = z.strictObject(settings)
