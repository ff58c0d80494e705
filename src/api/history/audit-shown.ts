/** Entries of the audit as a principal may see them. */
import type { Response } from 'express'
import { AUDIT } from '../../commands/note-audit.ts'
import { withSecretsNamed, type Definitions } from '../../domain/definition.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import { sightOf } from '../../domain/grant.ts'
import type { Fields } from '../../domain/json.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import type { JournaledEvent } from '../../ports/journal.ts'
import { onlyShown } from '../../rights/narrow-records.ts'
import { principalOf } from '../http/request-context.ts'
import type { ActorName } from '../records/actors.ts'
import type { AuditItem } from './audit-item.ts'

export interface EntriesOf {
  readonly definitions: Definitions
  readonly actorName: ActorName
}

export interface ShownEntries {
  /** What of the event is shown; `data` is undefined when nothing is, and then the reason is hidden, too. */
  parts(event: JournaledEvent): { readonly data: Fields | undefined; readonly reason: string | null }
  item(event: JournaledEvent): Promise<AuditItem>
}

/** For one answer. */
export function shownEntries({ definitions, actorName }: EntriesOf, response: Response): ShownEntries {
  const { company, access } = principalOf(response)
  const dataOf = ({ stream, data }: JournaledEvent): Fields | undefined => {
    const object = objectOfKey(stream) ?? ''
    if (object === AUDIT) return data
    const definition = definitions.get(object)
    const grant = access.grant(object, 'audit')
    if (!definition || !grant) return undefined
    // One event does not say whether the record was in the granted rows.
    const shares = grant.shares?.filter(({ rows }) => !rows)
    const whole = withSecretsNamed(definition, data)
    const shown = onlyShown(whole, sightOf(shares ? { shares } : grant))
    return isEmpty(shown) && !isEmpty(whole) ? undefined : shown
  }
  const parts: ShownEntries['parts'] = (event) => {
    const data = dataOf(event)
    // A reason may reveal the data: it is hidden with all of it.
    return { data, reason: (data && event.reason) ?? null }
  }
  return {
    parts,
    async item(event) {
      const { data = {}, reason } = parts(event)
      const { ordinal, stream, version, type, metadata } = event
      return {
        Position: ordinal,
        Key: stream,
        Version: version,
        Event: type,
        At: secondsOf(metadata.recordedAt),
        By: await actorName(company, metadata.actor),
        Reason: reason,
        Data: data,
      }
    },
  }
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0
}
