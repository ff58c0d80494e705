/**
 * Integrations put together: their files, the inbox, what is asked of them over HTTP, and what applies messages. Processes with
 * the role `scheduler` apply; where the inbox is a file in DATA_DIR, each process applies what it has received itself.
 */
import { join } from 'node:path'
import { httpSender } from '../../adapters/http/sender.ts'
import { sqliteInbox } from '../../adapters/sqlite/inbox/inbox.ts'
import type { Area } from '../../api/area.ts'
import type { Log } from '../../ports/log.ts'
import type { PositionTokens } from '../../api/http/position-tokens.ts'
import { integrationsArea } from '../../api/integrations/area.ts'
import { formsArea } from '../../api/integrations/forms.ts'
import { receiveArea } from '../../api/integrations/receive.ts'
import { scimArea } from '../../api/scim/area.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Integrations } from '../../definitions/load-integrations.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { applier } from '../../integrations/apply/applier.ts'
import { askForSession } from '../../integrations/calls/ask-for-session.ts'
import { askForToken } from '../../integrations/calls/ask-for-token.ts'
import { calls } from '../../integrations/calls/calls.ts'
import { pace } from '../../integrations/calls/pace.ts'
import { tokens } from '../../integrations/calls/tokens.ts'
import { integrationHealth } from '../../integrations/health.ts'
import { links } from '../../integrations/links.ts'
import { integrationPlaces } from '../../integrations/places.ts'
import { sensorAlarms } from '../../integrations/sensors/sensor-alarms.ts'
import { subscriptions } from '../../integrations/subscribe/subscriptions.ts'
import { accepting } from '../../integrations/receive/accept.ts'
import { forms } from '../../integrations/receive/forms.ts'
import { keptLists } from '../../integrations/webdav/kept-lists.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import { steps } from '../../commands/steps.ts'
import { changesProjection, followChanges } from '../../integrations/send/follow-changes.ts'
import { recordSender } from '../../integrations/send/send-record.ts'
import type { MessageSource } from '../../ports/sources/message-source.ts'
import type { Send } from '../../ports/sending/send-attempt.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Follower } from '../../timers/start-timers.ts'
import { polls } from '../../integrations/poll/polls.ts'
import { watches } from '../../integrations/watch/watches.ts'
import { fullSyncs } from '../../integrations/sync/sync-rule.ts'
import type { TimerRule } from '../../timers/rule.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Inbox } from '../../ports/inbox.ts'
import { addressRules, readRanges, type AddressRules } from '../../webhooks/addresses.ts'
import type { Identity } from './identity.ts'
import type { WriteSide } from './write-side.ts'

export interface IntegrationsOptions {
  readonly config: Config
  /** Of the objects that have records. */
  readonly definitions: Definitions
  readonly integrations: Integrations
  readonly writeSide: WriteSide
  readonly positions: PositionTokens
  readonly sealer: Sealer
  readonly identity: Pick<Identity, 'roleAccess' | 'roleNames'>
  readonly publicUrl: () => string
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}

export interface OpenIntegrations {
  readonly areas: readonly Area[]
  /** How many integrations this process has last seen failing. */
  readonly failing: () => number
  /** What is done in its time. */
  readonly rules: readonly TimerRule[]
  followers(timers: Timers): readonly Follower[]
  /** Sends a change of a record. */
  readonly send: Send
  /** Applies what is kept, from now on. */
  start(): void
}

const DAY_MS = 86_400_000

/** @param closing what is opened is closed with it */
export async function openIntegrations(
  options: IntegrationsOptions,
  closing: AsyncDisposableStack,
): Promise<OpenIntegrations> {
  const { config, definitions, integrations: files, writeSide, sealer, identity, clock, log } = options
  const { events, states, readModels, write, claims, locks, identifiers, idempotency } = writeSide
  const inbox = await openInbox(config)
  const out = openCalls(options, closing)
  const stepping = steps({ events, states, clock, newCommand: identifiers.newCommand })
  const health = integrationHealth({ steps: stepping, states, clock })
  const work: IntegrationWork = {
    definitions,
    files,
    inbox,
    places: integrationPlaces(events),
    links: links({ events, states, clock }),
    lists: keptLists({ events, clock, newCommand: identifiers.newCommand }),
    steps: stepping,
    health,
    grown: () => applying.wake(),
    pollSoon: (...which) => polling.soon(...which),
    publicUrl: options.publicUrl,
    states,
    readModels,
    write,
    ownerOf: claims.ownerOf,
    locks,
    sealing: sealer,
    ...out,
    clock,
    newCommand: identifiers.newCommand,
    async accessOf(company, role) {
      const { status, fields } = await states.load(company, company)
      if (status !== 'live' || fields['IsSuspended'] === true) return undefined
      return identity.roleAccess(company, [role])
    },
  }
  const onTrouble = (message: string, error: unknown) => log.warn({ err: error }, message)
  const applying = applier({ work, inbox, keepMs: config.INBOX_KEEP_DAYS * DAY_MS, onTrouble })
  const alarms = sensorAlarms({ definitions, states, write, clock, onTrouble })
  const polling = polls({ work, onTrouble })
  const watching = watches({ work, onTrouble })
  const syncing = fullSyncs({ work, polls: polling, onTrouble })
  const subscribing = subscriptions({ work, source: brokers(work.rules), onTrouble })
  closing.defer(async () => {
    await Promise.all([polling.stop(), watching.stop(), syncing.stop(), subscribing.stop()])
    await applying.stop()
    await inbox.close()
  })
  const formKeys = () => [...sealer.deriveAll('form challenges').values()]
  const applies = config.ROLES.has(config.MONGODB_URL === undefined ? 'api' : 'scheduler')
  return {
    areas: [
      integrationsArea({
        work,
        readModels,
        positions: options.positions,
        idempotency,
        sealer,
        readYourWritesMs: config.READ_YOUR_WRITES_MS,
        roleNames: identity.roleNames,
        wake: applying.wake,
        times: polling.times,
      }),
      formsArea(forms(work, formKeys, () => applying.wake())),
      receiveArea({ accepting: accepting(work, () => applying.wake()), publicUrl: options.publicUrl, log }),
      directories(options, work),
    ],
    rules: [polling.rule, watching.rule, syncing.rule, subscribing.rule, ...alarms.rules],
    failing: health.failing,
    followers: (timers) => [
      { store: followChanges({ work, readModels, timers }), projections: [changesProjection(work)] },
      ...alarms.followers(timers),
    ],
    send: recordSender({ work, events }),
    start() {
      if (applies) applying.start()
    },
  }
}

/** What requests to other systems go by. */
function openCalls(
  { config, version, writeSide, sealer, clock }: IntegrationsOptions,
  closing: AsyncDisposableStack,
): Pick<IntegrationWork, 'calls' | 'rules'> {
  const rules = addressRules(readRanges(config.WEBHOOK_ALLOW_ADDRESSES))
  const sender = httpSender({
    mayConnect: (address, secure) => (secure ? rules.mayReach(address) : rules.isOpened(address)),
  })
  closing.defer(async () => sender.close())
  const { events, identifiers } = writeSide
  const common = { sender, rules, sealing: sealer, clock }
  const given = tokens({
    ...common,
    events,
    newCommand: identifiers.newCommand,
    ask: askForToken(common),
    askForSession: askForSession(common),
  })
  const userAgent = `Daybook-Integrations/${version}`
  return { rules, calls: calls({ ...common, tokens: given, pace: pace(clock.elapsed), userAgent }) }
}

/** Where directories come in. */
function directories(
  { config, definitions, writeSide: { readModels }, positions, publicUrl, log }: IntegrationsOptions,
  work: IntegrationWork,
): Area {
  const readYourWritesMs = config.READ_YOUR_WRITES_MS
  return scimArea({ work, definitions, readModels, positions, readYourWritesMs, publicUrl, log })
}

/** Read when a broker is first needed: most companies have none. */
function brokers(rules: AddressRules): MessageSource {
  const opening = async () => {
    const { mqttSource } = await import('../../adapters/mqtt/message-source.ts')
    return mqttSource({
      mayConnect: (address, secure) => (secure ? rules.mayReach(address) : rules.isOpened(address)),
    })
  }
  return {
    receive: async (...what) => (await opening()).receive(...what),
    forget: async (...what) => (await opening()).forget(...what),
  }
}

async function openInbox({ DATA_DIR, MONGODB_URL }: Config): Promise<Inbox> {
  if (MONGODB_URL === undefined) return sqliteInbox(join(DATA_DIR, 'inbox.db'))
  const { mongoInbox } = await import('../../adapters/mongodb/inbox.ts')
  return mongoInbox({ url: MONGODB_URL })
}
