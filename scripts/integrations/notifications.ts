/**
 * `node scripts/integrations/notifications.ts [--payments 5000]`: notifications of payments, some 10,000 for 5,000 payments, shuffled,
 * each three times, 1 % forged. Expects one payment each in the right state and none that was forged; prints how fast they
 * were acknowledged, which is when they are on the disk, and applied.
 */
import { testService } from '../../test/support/service.ts'
import { sendShuffled } from '../../test/integrations/shuffled-payments.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const { payments } = numbersFromArguments({ payments: 5_000 })
const service = await testService()
try {
  const times = 3
  const { sent, forged, sentInMs, appliedInMs } = await sendShuffled(service, {
    payments,
    times,
    now: Date.now,
    random: Math.random,
  })
  const genuine = sent - forged
  console.log(
    `${genuine / times} notifications of ${payments} payments, ${times} times each, and ${forged} forged`,
  )
  console.log(`acknowledged: ${Math.round((genuine / sentInMs) * 1_000)} a second, each on the disk`)
  console.log(
    `applied: ${Math.round((genuine / times / appliedInMs) * 1_000)} a second; one payment each, in the right state`,
  )
} finally {
  await service.discard()
}
