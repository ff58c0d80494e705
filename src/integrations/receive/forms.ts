/**
 * A form on a website, taken as a message. Its sender is not known, so nothing is refused for what it holds. What looks like
 * it was not filled in by a person is set aside for one to look at, and is answered like any other.
 */
import { createHash, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Company } from '../../domain/events/event.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Received } from '../definition/receive-schema.ts'
import { isTaking, type Integration } from '../integration.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { doubtOfAnswers } from './form-fields.ts'
import { inboxId } from './inbox-id.ts'
import { isForm } from './is-form.ts'
import { doubtOfProof, newChallenge } from './proof.ts'

export interface FormDoor {
  readonly integration: Integration
  readonly entry: Received
}

export interface Forms {
  /** Undefined: there is no such form. */
  door(key: string): Promise<FormDoor | undefined>
  challenge(key: string): string
  /** Keeps what was filled in. `page`: the address that it was sent from. */
  keep(door: FormDoor, sent: Json, page: string | undefined): Promise<void>
}

/** Members of a form that are the service's own. */
const CHALLENGE = 'daybook-challenge'
const ANSWER = 'daybook-answer'
const MOST_FIELDS = 60
const LONGEST = 20_000

/** @param keys what challenges are signed with, newest first */
export function forms(work: IntegrationWork, keys: () => readonly Uint8Array[], grown: () => void): Forms {
  return {
    async door(key) {
      const company = await work.places.find(key)
      const integration = company === undefined ? undefined : await loadIntegration(work, company, key)
      if (!integration || !isTaking(integration)) return undefined
      const entry = work.files.get(integration.definition)?.receive.find(isForm)
      return entry && { integration, entry }
    },
    challenge: (key) => newChallenge(keys()[0]!, key, work.clock.now()),
    async keep({ integration, entry }, sent, page) {
      const now = work.clock.now()
      const { company, key } = integration
      const { [CHALLENGE]: challenge, [ANSWER]: answer, ...given } = isObject(sent) ? sent : {}
      const fields = boundedFields(given)
      const reason =
        doubtOfHoneypot(entry, given) ??
        doubtOfAnswers(entry, { fields }) ??
        doubtOfProof(keys(), key, { challenge, answer }, now)
      const receivedAt = timestampOf(now)
      const kept = async (source: string, doubt: string | undefined): Promise<boolean> => {
        const id = inboxId(key, entry.name, source)
        const payload = JSON.stringify({
          fields,
          received: { id: source, at: receivedAt, page: page ?? null },
        })
        const row = {
          id,
          company,
          integration: key,
          entry: entry.name,
          source,
          payload: work.sealing.seal(payload, id),
          receivedAt: now,
        }
        const state = doubt === undefined ? ('stored' as const) : ('quarantined' as const)
        const [isNew] = await work.inbox.keep([{ ...row, state, reason: doubt }])
        return isNew! || (await isSame(work, { company, integration: key, id }, fields))
      }
      // Of one challenge one form is taken: sent again by the reload of a page, it is the same.
      const proof = challenge as string
      if (reason !== undefined) await kept(randomUUID(), reason)
      else if (!(await kept(proof, undefined))) await kept(`${proof}.${digestOf(fields)}`, USED)
      grown()
    },
  }
}

const USED = 'its proof of work was used already, by a form with other text'

/** Whether the message that is there holds these fields. */
async function isSame(
  { inbox, sealing }: IntegrationWork,
  {
    company,
    integration,
    id,
  }: { readonly company: Company; readonly integration: string; readonly id: string },
  fields: Fields,
): Promise<boolean> {
  const row = await inbox.get(company, integration, id)
  if (!row) return true
  const there = JSON.parse(sealing.open(row.payload, id)) as { readonly fields: Fields }
  return isDeepStrictEqual(there.fields, fields)
}

const digestOf = (fields: Fields) =>
  createHash('sha256').update(JSON.stringify(fields)).digest('base64url').slice(0, 22)

function doubtOfHoneypot({ verify }: Received, given: Fields): string | undefined {
  for (const scheme of verify)
    if ('form' in scheme && (given[scheme.form.honeypot] ?? '') !== '')
      return `it has ${scheme.form.honeypot}, which people do not see`
  return undefined
}

/** Text only, and not without end. */
function boundedFields(given: Fields): Fields {
  const all = Object.entries(given).slice(0, MOST_FIELDS)
  return Object.fromEntries(
    all.flatMap(([name, value]) => {
      const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      return text ? [[name.slice(0, 60), String(value).slice(0, LONGEST)]] : []
    }),
  )
}
