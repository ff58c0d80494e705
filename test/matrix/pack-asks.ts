/** The routes of records, asked for rows of packs; and whether a company is shown any but its own. */
import { expect } from 'chai'
import { eventually } from '../system/support/eventually.ts'
import { ask, type Ask } from './asks.ts'
import { readingBody, type Things } from './things.ts'
import type { Company } from './world.ts'

const ALL = '/api/v1/:object'
const ONE = `${ALL}/:key`
const OBJECT = 'sensorreading'
const AUDITED = { needs: [['audit', OBJECT]] } as const

const one = (
  route: string,
  policy: string,
  below = '',
  more: Parameters<typeof ask>[3] = {},
  body?: object,
): Ask =>
  ask(route, policy, ({ things }) => ({ path: `${OBJECT}/${things.reading}${below}`, body }), {
    about: 'company',
    ...more,
  })

export const packAsks: readonly Ask[] = [
  ask(`GET ${ALL}`, 'read :object', OBJECT),
  ask(`GET ${ALL}`, 'read :object', `${OBJECT}?search=gateway`),
  ask(`GET ${ALL}`, 'read :object', `${OBJECT}?asOf=2026-03-02T00:00:00Z`, AUDITED),
  ask(`GET ${ALL}/changes`, 'read :object', `${OBJECT}/changes`),
  ask(`GET ${ALL}/export`, 'export :object', `${OBJECT}/export`),
  ask(`POST ${ALL}/batch`, 'import :object', ({ things }) => ({
    path: `${OBJECT}/batch`,
    body: { Records: [readingBody(things.sensor), readingBody(things.sensor)] },
  })),
  one(`GET ${ONE}`, 'read :object'),
  one(`GET ${ONE}`, 'read :object', '?asOf=1', AUDITED),
  one(`GET ${ONE}/history`, 'audit :object', '/history'),
  ...['PUT', 'PATCH'].map((method) =>
    one(`${method} ${ONE}`, 'update :object', '', { uses: 'reading' }, { Quality: 'Bad' }),
  ),
  one(`DELETE ${ONE}`, 'delete :object', '', { uses: 'reading' }),
  one(`POST ${ONE}/restore`, 'delete :object', '/restore', { uses: 'deletedReading' }),
]

/** Every way to see many rows at once. */
const WAYS: readonly (readonly [path: string, body?: object])[] = [
  [`${OBJECT}?pageSize=100`],
  [`${OBJECT}?pageSize=100&filter=Value eq 21`],
  [`${OBJECT}?pageSize=100&asOf=2999-01-01T00:00:00Z`],
  [`${OBJECT}/changes?pageSize=100`],
  [`${OBJECT}/export`],
  [`audit/export?object=${OBJECT}`],
  ['warehouse/wh_FacilityManagement_SensorReading'],
  ['warehouse/wh_FacilityManagement_SensorReading_history'],
  ['warehouse/query', { Sql: 'SELECT "Key", ReadingId FROM wh_FacilityManagement_SensorReading' }],
]

/**
 * Every row of `readingBody` says its sensor's Key by what the gateway calls it. Whoever may see all of a company sees each row of its packs, and none of the other's, by whatever way.
 */
export async function showsItsOwnRows({ admin }: Company, own: Things, other: Things): Promise<void> {
  for (const [path, body] of WAYS)
    await eventually(`${path} has the row`, async () => {
      const { status, text } = await (body ? admin.post(path, body) : admin.get(path))
      expect([status, text.includes(own.sensor)], `${path}: ${text.slice(0, 300)}`).to.deep.equal([200, true])
      expect(text.includes(other.sensor), path).to.equal(false)
    })
  const Records = [readingBody(other.sensor)]
  const [refused] = (await admin.post(`${OBJECT}/batch`, { Records })).list
  expect(refused!['Status']).to.equal(400)
}
