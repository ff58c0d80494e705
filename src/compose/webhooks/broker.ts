/** The broker that shares deliveries among processes: RabbitMQ where RABBITMQ_URL names one, else none. */
import type { Hints } from '../../ports/hints.ts'

export interface BrokerOptions {
  readonly rabbitmqUrl?: string | undefined
  /** Begins the names of its queues. */
  readonly rabbitmqPrefix: string
  readonly onTrouble: (message: string, error: unknown) => void
}

/**
 * Undefined where none is named. It is not waited for: while it is away, senders find in the outbox what is due.
 * @throws Error when its URL cannot be used
 */
export async function openBroker(options: BrokerOptions): Promise<Hints | undefined> {
  const { rabbitmqUrl: url, rabbitmqPrefix: prefix, onTrouble } = options
  if (url === undefined) return undefined
  // Drivers are loaded when they are needed.
  const { rabbitmqHints } = await import('../../adapters/rabbitmq/hints.ts')
  return rabbitmqHints({ url, prefix, onTrouble })
}
