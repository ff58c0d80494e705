/**
 * `node scripts/faults/broker.ts [--kills 100] [--blocked 60]`: kills RabbitMQ so many times under a service that is
 * written to, then deletes its data, deletes its queue, and has it take no messages for so many seconds. Exit code 1 when
 * a write was refused or a webhook of an acknowledged one never came.
 *
 * Needs RabbitMQ: node test/engines/rabbitmq/install.ts
 */
import { brokerFaults } from '../../test/faults/broker.ts'
import { withFolder } from '../../test/faults/ledger/service-process.ts'
import { numbersFromArguments } from './arguments.ts'

const { kills, blocked } = numbersFromArguments({ kills: 100, blocked: 60 })
const { acknowledged, refused, times, lost, doubled } = await withFolder((dataDir) =>
  brokerFaults({
    dataDir,
    kills,
    blockedMs: blocked * 1_000,
    pauseMs: 10,
    onPhase: (phase) => console.log(phase),
  }),
)
const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? NaN).toFixed(1)
console.log(
  `${acknowledged} writes acknowledged, ${refused.length} refused, in ms: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`,
)
console.log(`${lost.length} webhooks lost, ${doubled} came more than once`)
for (const one of [...refused, ...lost].slice(0, 20)) console.log(`FAULT ${one}`)
if (refused.length + lost.length > 0) process.exitCode = 1
