/** What integrations need of the rest of the service. */
import type { KeyedLocks } from '../commands/support/keyed-locks.ts'
import type { RecordStates } from '../commands/support/record-states.ts'
import type { Steps } from '../commands/steps.ts'
import type { UniqueClaims } from '../commands/support/unique-claims.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import type { Definitions } from '../domain/definition.ts'
import type { Company } from '../domain/events/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Inbox } from '../ports/inbox.ts'
import type { ReadModels } from '../ports/read-models.ts'
import type { Access } from '../rights/access.ts'
import type { AddressRules } from '../webhooks/addresses.ts'
import type { Calls } from './calls/call.ts'
import type { Sealing } from './credentials.ts'
import type { IntegrationDefinition } from './definition/integration-schema.ts'
import { integrationOf, type Integration } from './integration.ts'
import type { Links } from './links.ts'
import type { IntegrationHealth } from './health.ts'
import type { IntegrationPlaces } from './places.ts'
import type { KeptLists } from './webdav/kept-lists.ts'

export interface IntegrationWork {
  /** The objects that have records. */
  readonly definitions: Definitions
  /** The files of integrations, by name. */
  readonly files: ReadonlyMap<string, IntegrationDefinition>
  readonly inbox: Inbox
  readonly places: IntegrationPlaces
  readonly links: Links
  /** Files of other systems, as they were last listed. */
  readonly lists: KeptLists
  /** Of what integrations keep by themselves. */
  readonly steps: Steps
  readonly health: IntegrationHealth
  /** Something is to be applied. */
  readonly grown: () => void
  /** Has the poll run at once, or as soon as the one that is under way has ended. */
  readonly pollSoon: (integration: Pick<Integration, 'company' | 'key'>, poll: string) => void
  /** Where other systems reach the service. */
  readonly publicUrl: () => string
  readonly states: Pick<RecordStates, 'load'>
  readonly readModels: Pick<ReadModels, 'list'>
  readonly write: WriteRecords
  readonly ownerOf: UniqueClaims['ownerOf']
  readonly locks: KeyedLocks
  readonly sealing: Sealing
  readonly calls: Calls
  /** Where requests may go. */
  readonly rules: AddressRules
  readonly clock: Pick<Clock, 'now'>
  readonly newCommand: () => string
  /** What a role of the company allows now; undefined: the company is suspended. */
  readonly accessOf: (company: Company, role: string) => Promise<Access | undefined>
}

export async function loadIntegration(
  { states }: Pick<IntegrationWork, 'states'>,
  company: Company,
  key: string,
): Promise<Integration | undefined> {
  return integrationOf(company, key, await states.load(company, key))
}
