/**
 * What a driver does not take of the URL of its server, such as an option that it does not know: it ends the start before
 * anything is opened, with the name of the setting. A server that is only away is waited for.
 */
import { ConfigError, type Config } from '../config.ts'
import { messageOf } from '../domain/errors.ts'

/** @throws ConfigError naming the setting */
export async function checkServerUrls(config: Config): Promise<void> {
  const { EVENTSTORE_URL, MONGODB_URL, RABBITMQ_URL } = config
  const check = (name: string, attempt: () => void) => {
    try {
      attempt()
    } catch (error) {
      throw new ConfigError(`${name}: ${messageOf(error)}`)
    }
  }
  if (EVENTSTORE_URL !== undefined) {
    const { parseAddress } = await import('../adapters/eventstoredb/address.ts')
    check('EVENTSTORE_URL', () => void parseAddress(EVENTSTORE_URL))
  }
  if (MONGODB_URL !== undefined) {
    const { checkUrl } = await import('../adapters/mongodb/connection.ts')
    check('MONGODB_URL', () => checkUrl(MONGODB_URL))
  }
  if (RABBITMQ_URL !== undefined) {
    const { parseUrl } = await import('../adapters/rabbitmq/connection.ts')
    check('RABBITMQ_URL', () => void parseUrl(RABBITMQ_URL))
  }
}
