/** What is done about each login of a tool, by its record and by what stands behind it. */
import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import type { RecordState } from '../../src/domain/records/record.ts'
import type { TableInfo } from '../../src/domain/warehouse/table-infos.ts'
import { settleToolLogins, type KeepToolLoginsOptions } from '../../src/identity/tool-logins/keep.ts'
import { everything, type Access } from '../../src/rights/access.ts'

const MADE = 1_000_000
const MINUTE = 60_000
const tables: readonly TableInfo[] = [
  { name: 'wh_Leasing_Tenant', object: 'tenant', isHistory: false, description: '', columns: [] },
]
const nothing: Access = { grant: () => undefined }

interface Standing {
  readonly access: Access | undefined | Error
  readonly status: RecordState['status']
  readonly age: number
}

async function settle({ access, status, age }: Standing): Promise<readonly string[]> {
  const done: string[] = []
  const logins: KeepToolLoginsOptions['logins'] = {
    list: async () => [{ company: 'company-1', key: 'warehouselogin-1', login: 'wh_b_1', madeAt: MADE }],
    allow: async (_login, readable) => void done.push(`allow ${Object.keys(readable).join()}`),
    drop: async ({ company, key }) => void done.push(`drop ${company} ${key}`),
    endLong: async () => 0,
  }
  const accessOf = async () => {
    if (access instanceof Error) throw access
    return access
  }
  const states = { load: async () => ({ status }) as RecordState }
  const settled = settleToolLogins({ logins, accessOf, states, tables: () => tables, now: () => MADE + age })
  await settled.catch((error: Error) => done.push(error.message))
  return done
}

describe('a login of a tool', () => {
  for (const [what, standing, done] of [
    [
      'sees what its roles show now',
      { access: everything, status: 'live', age: MINUTE },
      ['allow wh_Leasing_Tenant'],
    ],
    [
      'is dropped once they show no table',
      { access: nothing, status: 'live', age: 1 },
      ['drop company-1 warehouselogin-1'],
    ],
    [
      'is dropped when it was revoked, or has expired, or nobody stands behind it',
      { access: undefined, status: 'deleted', age: 1 },
      ['drop company-1 warehouselogin-1'],
    ],
    ['is left alone while its record may still come', { access: undefined, status: 'absent', age: 1 }, []],
    [
      'is dropped when its record has not come',
      { access: undefined, status: 'absent', age: 10 * MINUTE },
      ['drop company-1 warehouselogin-1'],
    ],
    [
      'stays as it is while the event store is away',
      { access: new Unavailable('away'), status: 'live', age: 10 * MINUTE },
      ['away'],
    ],
  ] as const)
    it(what, async () => expect(await settle(standing)).to.deep.equal(done))
})
