/** A service with a directory that speaks SCIM to it. */
import type { Fields } from '../../../src/domain/json.ts'
import {
  testService,
  type Answer,
  type Data,
  type TestService,
  type TestServiceOptions,
} from '../../support/service.ts'

export const SCIM_TOKEN = 'a-token-of-the-directory'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export interface Directory {
  readonly service: TestService
  readonly integration: Data
  /** Below the address of the server. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
  /** Users that a filter finds. */
  found(filter: string): Promise<readonly Fields[]>
  patch(id: string, ...operations: readonly unknown[]): Promise<Answer>
  create(user: Fields): Promise<Data>
}

export async function directory(options: TestServiceOptions = {}): Promise<Directory> {
  const service = await testService(options)
  const made = await service.post('integrations', {
    Definition: 'scim',
    Name: 'Okta',
    Credentials: { token: SCIM_TOKEN },
  })
  const integration = made.data
  await service.post(`integrations/${integration.Id}/start`)
  const send: Directory['send'] = (method, path, body, headers = {}) =>
    service.send(method, `scim/v2/${integration.Id}${path}`, {
      body,
      headers: {
        Authorization: `Bearer ${SCIM_TOKEN}`,
        'Content-Type': 'application/scim+json',
        ...headers,
      },
    })
  return {
    service,
    integration,
    send,
    async found(filter) {
      const answer = await send('GET', `/Users?${new URLSearchParams({ filter }).toString()}`)
      if (answer.status !== 200) throw new Error(`${filter}: ${answer.text}`)
      return answer.json['Resources'] as readonly Fields[]
    },
    patch: (id, ...Operations) => send('PATCH', `/Users/${id}`, { schemas: [PATCH_OP], Operations }),
    async create(user) {
      const answer = await send('POST', '/Users', user)
      if (answer.status !== 201) throw new Error(answer.text)
      return { ...answer.json, Id: answer.json['id'] as string }
    },
  }
}
