/** How the projection that fills the outbox on MongoDB stands: kept beside its position, for all processes to see. */
import type { Collection } from 'mongodb'
import type { OutboxControl } from '../../../ports/outbox.ts'
import type { StandingDocument } from './outbox-documents.ts'

export function outboxControl(standing: Collection<StandingDocument>, _id: string): OutboxControl {
  return {
    async show(error) {
      await standing.updateOne({ _id }, error ? { $set: { error } } : { $unset: { error: '' } })
    },
    async shown() {
      const found = await standing.findOne({ _id })
      if (!found) return undefined
      const { position, error } = found
      return error ? { position, state: 'parked', error } : { position, state: 'live' }
    },
    async askToResume() {
      await standing.updateOne({ _id }, { $set: { resume: true } })
    },
    async isAskedToResume() {
      const { matchedCount } = await standing.updateOne({ _id, resume: true }, { $unset: { resume: '' } })
      return matchedCount === 1
    },
  }
}
