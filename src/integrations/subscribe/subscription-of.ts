/** What a broker is asked for on behalf of an integration. */
import { Conflict } from '../../domain/errors.ts'
import type { Subscription } from '../../ports/sources/message-source.ts'
import { openCredentials, validValues } from '../credentials.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import { settingsOf, type Integration } from '../integration.ts'
import { evaluate } from '../mapping/evaluate.ts'
import type { IntegrationWork } from '../work.ts'
import { checkBrokerUrl } from './broker-url.ts'

/** @throws Conflict saying what it lacks */
export function subscriptionOf(
  { sealing, clock, rules }: Pick<IntegrationWork, 'sealing' | 'clock' | 'rules'>,
  integration: Integration,
  file: IntegrationDefinition,
): Subscription {
  const url = integration.baseUrl ?? file.baseUrl
  if (url === undefined) throw new Conflict('it has no BaseUrl: set the address of the broker')
  const checked = checkBrokerUrl(url, rules)
  if (typeof checked === 'string') throw new Conflict(`the address of the broker ${checked}`)
  const source = { item: undefined, root: undefined, settings: settingsOf(integration, file) }
  const made = evaluate(file.subscribe!.topics, source)
  const topics = typeof made === 'string' ? made.split(',').map((one) => one.trim()) : []
  const given = topics.filter((one) => one !== '')
  if (given.length === 0) throw new Conflict('it has no topics: set which ones it subscribes to')
  const credentials = openCredentials(sealing, integration.company, integration.credentials)
  const value = (name: string | undefined) =>
    name === undefined ? undefined : validValues(credentials, name, clock.now())[0]
  const { authentication } = file
  const basic = authentication && 'basic' in authentication ? authentication.basic : undefined
  return {
    url,
    clientId: integration.key,
    user: value(basic?.user),
    password: value(basic?.password),
    topics: given,
  }
}
