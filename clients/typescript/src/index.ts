/** What the package exports. */
export { Daybook, type AnyObjects } from './daybook.ts'
export {
  Session,
  Things,
  Tokens,
  Users,
  Warehouse,
  Webhooks,
  type IssuedToken,
  type Me,
  type QueryAnswer,
  type Rights,
  type UserSession,
} from './areas.ts'
export { Bank, type LineMatches, type MatchPart, type Rematched } from './bank.ts'
export * from './errors.ts'
export { generateTypes } from './generate-types.ts'
export * from './imports.ts'
export * from './integrations.ts'
export * from './kept-imports.ts'
export { Listing, type Page, type Pagination } from './listing.ts'
export * from './records.ts'
export type { Answer, Call, DaybookOptions, Hooks, Query, Wishes, WriteWishes } from './transport.ts'
export {
  Templates,
  type Layout,
  type StoredTemplate,
  type Template,
  type TemplateTexts,
} from './templates.ts'
export type { TokenPlace } from './token.ts'
export * from './values.ts'
export { UntrustedWebhook, verifyWebhook, type VerifyOptions, type WebhookEvent } from './verify-webhook.ts'
export { Filter, where, type FilterValue } from './where.ts'
