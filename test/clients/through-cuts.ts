/** What the client promises on a line that fails and beside others who write, with as many records as are wanted. */
import { expect } from 'chai'
import { Daybook } from '../../clients/typescript/src/index.ts'
import { TOKEN, type TestService } from '../support/service.ts'
import { cuttingProxy, type Fault } from './cutting-proxy.ts'

/** How long an answer that is kept back is waited for, and how often a request is sent again. */
const PATIENT = { timeoutMs: 3_000, retries: 20 }

/** Creates so many records through a proxy that fails: each is there, and none twice. */
export async function createThroughCuts(
  service: TestService,
  { records, atOnce }: { readonly records: number; readonly atOnce: number },
): Promise<Readonly<Record<Fault, number>>> {
  const proxy = await cuttingProxy(service.url)
  try {
    const daybook = new Daybook({ url: proxy.url, token: TOKEN, ...PATIENT })
    const keys: string[] = []
    let next = 0
    const lane = async () => {
      for (let n = next++; n < records; n = next++)
        keys.push((await daybook['tenant']!.create({ Name: `Tenant ${n}` })).record.Id)
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
    expect(new Set(keys).size).to.equal(records)
    const stored = new Daybook({ url: service.url, token: TOKEN })
    const all = await stored['tenant']!.list({ fields: ['Name'] }).toArray({ limit: records * 2 })
    expect(all.map(({ Id }) => Id).sort()).to.deep.equal([...keys].sort())
    return proxy.faults
  } finally {
    await proxy.close()
  }
}

const CHANGE_EVERY = 10

/**
 * Iterates all tenants through a proxy that fails, while others create, change and delete some: exactly those of the first
 * moment come, as they were. Answers how many there were, and how many changes were made meanwhile.
 */
export async function iterateBesideChanges(
  service: TestService,
): Promise<{ readonly records: number; readonly changes: number }> {
  const direct = new Daybook({ url: service.url, token: TOKEN })
  const tenants = direct['tenant']!
  const shown = ({ Id, Name }: { readonly Id: string; readonly [name: string]: unknown }) =>
    `${Id} ${String(Name)}`
  const before = await tenants.list({ fields: ['Name'] }).toArray({ limit: 1_000_000 })
  const expected = before.map(shown).sort()
  const proxy = await cuttingProxy(service.url)
  try {
    const cut = new Daybook({ url: proxy.url, token: TOKEN, ...PATIENT })
    const seen: string[] = []
    let changes = 0
    for await (const record of cut['tenant']!.list({ fields: ['Name'], sort: 'Name' })) {
      seen.push(shown(record))
      if (seen.length % CHANGE_EVERY !== 0) continue
      // From the end: what is changed or deleted has mostly not been seen yet.
      const other = before[before.length - 1 - changes]!
      const way = changes++ % 3
      if (way === 0) await tenants.create({ Name: `A new one ${changes}` })
      if (way === 1) await tenants.update(other.Id, { Name: `Another name ${changes}` })
      if (way === 2) await tenants.delete(other.Id)
    }
    expect(seen.sort()).to.deep.equal(expected)
    return { records: seen.length, changes }
  } finally {
    await proxy.close()
  }
}
