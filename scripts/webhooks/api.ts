/** What the webhook scripts ask of the service. */
import type { Fields } from '../../src/domain/json.ts'
import type { ServiceProcess } from '../../test/faults/ledger/service-process.ts'

export interface Api {
  send(method: string, path: string, body?: unknown): Promise<Fields>
  webhook(url: string, events: readonly string[], more?: Fields): Promise<string>
  /** Creates so many tenants by batches, and answers their Keys. */
  tenants(count: number): Promise<readonly string[]>
}

const BATCH = 500

export function apiOf({ url, token }: Pick<ServiceProcess, 'url' | 'token'>): Api {
  const send: Api['send'] = async (method, path, body) => {
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
    return JSON.parse(text) as Fields
  }
  return {
    send,
    async webhook(to, events, more = {}) {
      const body = { Url: to, Events: events, Secret: 'a-secret-of-the-webhook-scripts', ...more }
      return ((await send('POST', 'webhooks', body))['Data'] as { Id: string }).Id
    },
    async tenants(count) {
      const keys: string[] = []
      while (keys.length < count) {
        const rows = Array.from({ length: Math.min(BATCH, count - keys.length) }, (_, i) => ({
          Name: `Tenant ${keys.length + i}`,
        }))
        const { Data } = await send('POST', 'tenant/batch', { Records: rows })
        for (const { Id } of Data as unknown as { Id: string }[]) keys.push(Id)
      }
      return keys
    },
  }
}

/** The value at this part of the sorted values, such as 0.99. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN
}
