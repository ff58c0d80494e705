/** Lets the year happen: sends every change through the API, each with its reason, in the order of the year. */
import { inParallel } from './api-client.ts'
import { createRecords, type AllKeys, type Creating } from './create-records.ts'
import {
  assignments,
  completions,
  decisions,
  deletions,
  indexations,
  letsOf,
  payments,
  renames,
  settlements,
  submissions,
  terminations,
  workOrders,
  type Change,
} from './year.ts'

/** Requests under way at a time. */
const WIDTH = 16

export async function liveAYear(creating: Creating, keys: AllKeys): Promise<void> {
  const { company } = creating
  const lets = letsOf(company, keys.contract)

  const submitted = submissions(lets)
  await change(creating, 'contracts handed in', submitted)
  await change(creating, 'contracts decided on', decisions(lets, submitted))
  await change(creating, 'rents indexed', indexations(company, lets))

  const due = payments(company, lets, keys.tenant)
  const paid = await createRecords(creating, { object: 'payment', bodies: due, reason: 'Monthly run' })
  const pending = paid.filter((_, i) => due[i]!['Status'] === 'Pending')
  await change(creating, 'payments settled', settlements(company, pending))

  const orders = await createRecords(creating, {
    object: 'workorder',
    bodies: workOrders(company, keys),
    reason: 'Reported by telephone',
  })
  const places = new Map(orders.map((key, i) => [key, i]))
  const assigned = assignments(orders)
  await change(creating, 'work orders given out', assigned)
  await change(
    creating,
    'work orders done',
    completions(company, assigned, (key) => places.get(key)!),
  )

  await change(creating, 'contracts terminated', terminations(company, lets))
  await deleteSome(creating, deletions(lets))
  await change(creating, 'tenants renamed', renames(lets, keys.tenant))
}

async function change({ api, progress }: Creating, title: string, changes: readonly Change[]): Promise<void> {
  progress.begin(title, changes.length)
  await inParallel(changes, WIDTH, async ({ object, key, body, reason }) => {
    await api.call('PATCH', `${object}/${key}`, { body, reason })
    progress.advance(1)
  })
}

async function deleteSome(
  { api, progress }: Creating,
  { deleted, restored }: ReturnType<typeof deletions>,
): Promise<void> {
  progress.begin('contracts deleted', deleted.length)
  await inParallel(deleted, WIDTH, async (key) => {
    // Gone already when the demo was broken off after this.
    await api.call('DELETE', `contract/${key}`, { reason: 'Never signed; entered twice', accept: [404] })
    progress.advance(1)
  })
  progress.begin('contracts restored', restored.length)
  await inParallel(restored, WIDTH, async (key) => {
    const reason = 'Deleted by mistake: the "other" one was the double'
    await api.call('POST', `contract/${key}/restore`, { reason, accept: [409] })
    progress.advance(1)
  })
}
