/**
 * Messages of an MQTT 5 broker, each delivered at least once: the session outlives the connection, and a message is
 * acknowledged after it was taken.
 */
import type { MessageSource, Subscription } from '../../ports/sources/message-source.ts'
import { connected, type MqttSourceOptions } from './connected.ts'
import { session } from './session.ts'

export function mqttSource(options: MqttSourceOptions): MessageSource {
  const during = async (
    subscription: Subscription,
    run: Omit<Parameters<typeof session>[0], 'socket' | 'subscription'>,
  ): Promise<void> => {
    const socket = await connected(options, subscription.url, run.signal)
    if (socket === undefined) return
    try {
      await session({ ...run, socket, subscription })
    } finally {
      socket.destroy()
    }
  }
  return {
    receive: (subscription, taking, signal) => during(subscription, { ...taking, signal, isKept: true }),
    async forget(subscription) {
      const done = new AbortController()
      await during(subscription, {
        take: async () => {},
        subscribed: () => {},
        signal: done.signal,
        isKept: false,
        onConnected: () => done.abort(),
      })
    },
  }
}
