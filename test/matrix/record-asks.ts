/** The routes of records, asked for contracts. */
import { ask, type Ask } from './asks.ts'
import { contractBody } from './things.ts'

const ALL = '/api/v1/:object'
const ONE = `${ALL}/:key`
const change = { StartDate: '2999-02-01' }

/** Each file once. */
let files = 0

const LINE = '/api/v1/banktransaction/:key'

/** Of a line of a bank account. */
const lineAsks: readonly Ask[] = [
  ask(`GET ${LINE}/matches`, 'read banktransaction', ({ things }) => ({
    path: `banktransaction/${things.line}/matches`,
  })),
  ...(['match', 'unmatch', 'ignore'] as const).map((action) =>
    ask(
      `POST ${LINE}/${action}`,
      'update banktransaction',
      ({ things }) => ({ path: `banktransaction/${things.line}/${action}` }),
      { uses: 'line', ...(action === 'match' && { expects: [400] }) },
    ),
  ),
  ask(
    'POST /api/v1/bankaccount/:key/rematch',
    'update bankaccount',
    ({ things }) => ({ path: `bankaccount/${things.account}/rematch` }),
    { uses: 'account' },
  ),
]

export const recordAsks: readonly Ask[] = [
  ...lineAsks,
  ask(`GET ${ALL}`, 'read :object', 'contract'),
  ask(`GET ${ALL}`, 'read :object', 'contract?asOf=2026-03-02T00:00:00Z', { needs: [['audit', 'contract']] }),
  ask(`POST ${ALL}`, 'create :object', ({ own }) => ({ path: 'contract', body: contractBody(own) }), {
    expects: [201],
  }),
  ask(`GET ${ONE}`, 'read :object', ({ things }) => ({ path: `contract/${things.contract}` })),
  ask(`GET ${ONE}`, 'read :object', ({ things }) => ({ path: `contract/${things.contract}?asOf=1` }), {
    needs: [['audit', 'contract']],
  }),
  ...['PUT', 'PATCH'].map((method) =>
    ask(
      `${method} ${ONE}`,
      'update :object',
      ({ things }) => ({ path: `contract/${things.contract}`, body: change }),
      { uses: 'contract' },
    ),
  ),
  ask(`DELETE ${ONE}`, 'delete :object', ({ things }) => ({ path: `contract/${things.contract}` }), {
    uses: 'contract',
  }),
  ask(
    `POST ${ONE}/restore`,
    'delete :object',
    ({ things }) => ({ path: `contract/${things.contract}/restore` }),
    { uses: 'deleted' },
  ),
  ask(`POST ${ALL}/batch`, 'import :object', ({ own }) => ({
    path: 'contract/batch',
    body: { Records: [contractBody(own)] },
  })),
  ask(`GET ${ALL}/import/template.csv`, 'import :object', 'contract/import/template.csv'),
  ask(`GET ${ALL}/import/template.xlsx`, 'import :object', 'contract/import/template.xlsx'),
  ask(
    `POST ${ALL}/import`,
    'import :object',
    () => ({
      path: 'contract/import',
      body: `Nothing\n${++files}\n`,
      headers: { 'Content-Type': 'text/csv' },
    }),
    { expects: [202] },
  ),
  ask(
    `PUT ${ALL}/by/:field/:value`,
    ['create :object', 'update :object'],
    () => ({ path: 'tenant/by/ExternalId/A-1', body: { Name: 'Ann' } }),
    {
      needs: [
        ['create', 'tenant'],
        ['update', 'tenant'],
      ],
      expects: [200, 201],
    },
  ),
  ask(`GET ${ALL}/export`, 'export :object', 'contract/export'),
  ask(`GET ${ALL}/changes`, 'read :object', 'contract/changes'),
  ask(`GET ${ONE}/history`, 'audit :object', ({ things }) => ({
    path: `contract/${things.contract}/history`,
  })),
  ask(`GET ${ONE}/workflow`, 'read :object', ({ things }) => ({
    path: `contract/${things.contract}/workflow`,
  })),
  ...(['contract', 'pending'] as const).map((uses) => {
    const action = uses === 'contract' ? 'submit' : 'approve'
    return ask(
      `POST ${ONE}/workflow/:action`,
      'workflow::action :object',
      ({ things }) => ({ path: `contract/${things.contract}/workflow/${action}` }),
      { uses, needs: [[`workflow:${action}`, 'contract']] },
    )
  }),
]
