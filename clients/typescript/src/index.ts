/** What the package exports. */
export { Daybook, type AnyObjects } from './daybook.ts'
export {
  Session,
  Things,
  Tokens,
  Warehouse,
  Webhooks,
  type IssuedToken,
  type Me,
  type QueryAnswer,
} from './areas.ts'
export * from './errors.ts'
export { generateTypes } from './generate-types.ts'
export { Listing, type Page, type Pagination } from './listing.ts'
export * from './records.ts'
export type { Answer, Call, DaybookOptions, Hooks, Query, Wishes, WriteWishes } from './transport.ts'
export type { TokenPlace } from './token.ts'
export * from './values.ts'
export { UntrustedWebhook, verifyWebhook, type VerifyOptions, type WebhookEvent } from './verify-webhook.ts'
export { Filter, where, type FilterValue } from './where.ts'
