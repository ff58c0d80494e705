/** The routes beside the records. */
import { ask, type Ask } from './asks.ts'
import { profileBody, scheduleBody, type Things } from './things.ts'
import type { Principal } from './world.ts'

const ID = '/api/v1/identity'
const HOOKS = '/api/v1/webhooks'

let count = 0
const named =
  (...names: string[]) =>
  ({ role }: Principal) =>
    names.includes(role.Name)

/** Users, tokens and roles are kept alike. */
const people = (
  [
    [
      'user',
      () => ({ Email: `new-${++count}@example.com`, Name: 'New', Password: 'long enough it is', Roles: [] }),
      { Name: 'Changed' },
    ],
    ['token', () => ({ Name: 'new', Roles: [] }), undefined],
    ['role', () => ({ Name: `new_${++count}`, Grants: [] }), { Description: 'Changed' }],
  ] as const
).flatMap(([name, body, changed]): Ask[] => {
  const all = `${ID}/${name}s`
  const path = `identity/${name}s`
  const to = (things: Things) => `${path}/${things[name]}`
  // Whoever could write roles could give himself any.
  const more = name === 'role' ? { mayAlso: named('system_admin') } : {}
  const asks = [
    ask(`GET ${all}`, 'administer', path),
    ask(`POST ${all}`, 'administer', () => ({ path, body: body() }), { expects: [201], ...more }),
    ask(`GET ${all}/:key`, 'administer', ({ things }) => ({ path: to(things) })),
    ask(
      `DELETE ${all}/:key`,
      name === 'token' ? 'self' : 'administer',
      ({ things }) => ({ path: to(things) }),
      { uses: name, needs: [['administer', '*']], ...more },
    ),
  ]
  if (changed === undefined) return asks
  const patch = ask(
    `PATCH ${all}/:key`,
    'administer',
    ({ things }) => ({ path: to(things), body: changed }),
    {
      uses: name,
      ...more,
    },
  )
  return [...asks, patch]
})

const hook = (
  method: string,
  below: string,
  to: (things: Things) => string,
  more: Parameters<typeof ask>[3] = {},
) =>
  ask(
    `${method} ${HOOKS}/:key${below}`,
    'administer webhook',
    ({ things }) => ({ path: `webhooks/${things.webhook}${to(things)}` }),
    more,
  )
/** Who has the records of its events sent, or looks at them, has to see them. */
const seen = { shows: [['read', 'contract']] } as const

/** Of an import into buildings. `sent`: it changes the import. */
const imported = (
  method: string,
  below: string,
  sent?: { readonly body?: object },
  expects?: number[],
  more: Parameters<typeof ask>[3] = {},
) =>
  ask(
    `${method} /api/v1/imports/:key${below}`,
    'self',
    ({ things }) => ({ path: `imports/${things.import}${below}`, ...sent }),
    {
      shows: [['import', 'building']],
      ...(sent && { uses: 'import', expects: expects ?? [202] }),
      ...more,
    },
  )

const profiled = (method: string, sent?: () => { readonly body?: object }) =>
  ask(
    `${method} /api/v1/import-profiles/:key`,
    'self',
    ({ things }) => ({ path: `import-profiles/${things.importprofile}`, ...sent?.() }),
    { shows: [['import', 'building']], ...(sent && { uses: 'importprofile' as const }) },
  )

const INTEGRATIONS = '/api/v1/integrations'

/** Of an integration, or of what it has received. `changes`: it is made anew for each. */
const integrated = (
  method: string,
  below: string,
  {
    body,
    changes,
    ...more
  }: { readonly body?: object; readonly changes?: true; readonly expects?: number[] } = {},
) =>
  ask(
    `${method} ${INTEGRATIONS}/:key${below}`,
    'administer integration',
    ({ things }) => ({
      path: `integrations/${things.integration}${below.replace(':message', things.received)}`,
      ...(body && { body }),
    }),
    { ...more, ...(changes && { uses: 'integration' }) },
  )

/** Of what it has sent: that of the matrix sends nothing. */
const integratedNothing = (method: string, below: string, path: string) =>
  ask(
    `${method} ${INTEGRATIONS}/:key${below}`,
    'administer integration',
    ({ things }) => ({ path: `integrations/${things.integration}${path}` }),
    { about: 'nothing', expects: [404] },
  )

/** Whoever sends there proves nothing by a token: the message has to. */
const inbound = (below: string) =>
  ['GET', 'POST'].map((method) =>
    ask(
      `${method} /api/v1/in/:key${below}`,
      'open',
      ({ things }) => ({
        path: `in/${things.integration}${below.replace(':name', 'events')}`,
        ...(method === 'POST' && { body: { id: 'evt_2' } }),
      }),
      { about: 'nothing', expects: [method === 'POST' ? 401 : 404] },
    ),
  )

/** A directory proves itself by the token of its integration, and nobody else has that. */
const directory = (method: string, below: string) =>
  ask(
    `${method} /api/v1/scim/v2/:key${below}`,
    'open',
    ({ things }) => ({
      path: `scim/v2/${things.directory}${below.replace(':id', `employee-${'0'.repeat(26)}`)}`,
      ...(/^P/.test(method) && { body: { userName: 'ann@example.com' } }),
    }),
    { about: 'nothing', expects: [401] },
  )

const integrationAsks: readonly Ask[] = [
  ask(`GET ${INTEGRATIONS}/definitions`, 'administer integration', 'integrations/definitions'),
  ask(`GET ${INTEGRATIONS}`, 'administer integration', 'integrations'),
  ask(
    `POST ${INTEGRATIONS}`,
    'administer integration',
    () => ({ path: 'integrations', body: { Definition: 'stripe' } }),
    { expects: [201], mayAlso: named('system_admin') },
  ),
  integrated('GET', ''),
  integrated('PATCH', '', { body: { Name: 'Changed' }, changes: true }),
  integrated('DELETE', '', { changes: true }),
  integrated('POST', '/start', { changes: true }),
  // One that is off cannot be paused.
  integrated('POST', '/pause', { changes: true, expects: [409] }),
  integrated('POST', '/stop', { changes: true }),
  integrated('POST', '/rotate-secret', {
    body: { Credential: 'webhookSecret', Value: 'next' },
    changes: true,
  }),
  integrated('POST', '/preview', { body: { Payload: { id: 'x', created: 1 } } }),
  integrated('POST', '/replay', { body: { From: '2026-03-01T00:00:00Z' }, changes: true, expects: [202] }),
  integrated('GET', '/sent'),
  integrated('GET', '/polls'),
  // None was asked for, and one that is off cannot be synced.
  integrated('GET', '/sync', { expects: [404] }),
  integrated('POST', '/sync', { changes: true, expects: [409] }),
  integrated('GET', '/conflicts'),
  integrated('POST', '/conflicts/:message/resolve', { body: { Take: {} }, expects: [409] }),
  integratedNothing('POST', '/sent/:sending/retry', `/sent/sending-${'0'.repeat(26)}/retry`),
  integrated('GET', '/inbox'),
  integrated('GET', '/inbox/:message'),
  integrated('POST', '/inbox/:message/retry', { expects: [202] }),
  integrated('POST', '/inbox/:message/quarantine', { expects: [202] }),
  // That of the matrix has no form.
  ask(
    'POST /api/v1/forms/:key',
    'open',
    ({ things }) => ({ path: `forms/${things.integration}`, body: { name: 'Ann' } }),
    { about: 'nothing', expects: [404] },
  ),
  ...['challenge', 'form.js'].map((name) =>
    ask(
      `GET /api/v1/forms/:key/${name}`,
      'open',
      ({ things }) => ({ path: `forms/${things.integration}/${name}` }),
      { about: 'nothing', expects: [404] },
    ),
  ),
  ...inbound(''),
  ...inbound('/:name'),
  ...['/ServiceProviderConfig', '/ResourceTypes', '/ResourceTypes/:id', '/Schemas', '/Schemas/:id'].map(
    (below) => directory('GET', below),
  ),
  ...['/.search', '/Users/.search'].map((below) => directory('POST', below)),
  ...['GET', 'POST'].map((method) => directory(method, '/Users')),
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => directory(method, '/Users/:id')),
]

const scheduled = (
  method: string,
  below: string,
  { expects, ...sent }: { readonly expects?: readonly number[]; readonly isSent?: true } = {},
) =>
  ask(
    `${method} /api/v1/import-schedules/:key${below}`,
    'administer',
    ({ things }) => ({
      path: `import-schedules/${things.importschedule}${below}`,
      ...(method === 'PUT' && { body: scheduleBody(things.importprofile) }),
    }),
    {
      shows: [['import', 'building']],
      ...(sent.isSent && { uses: 'importschedule' as const }),
      ...(expects && { expects }),
    },
  )

export const otherAsks: readonly Ask[] = [
  ...integrationAsks,
  ask(`POST ${ID}/login`, 'open', () => ({ path: 'identity/login', body: {} }), { expects: [400] }),
  ask(`POST ${ID}/logout`, 'open', 'identity/logout', { usesUp: true }),
  ask(`GET ${ID}/me`, 'self', 'identity/me'),
  ask(`PATCH ${ID}/me`, 'self', () => ({ path: 'identity/me', body: { Name: 'Somebody' } }), {
    mayAlso: ({ by }) => by === 'cookie',
  }),
  ...people,
  ask(
    `POST ${ID}/tokens/:key/rotate`,
    'self',
    ({ things }) => ({ path: `identity/tokens/${things.token}/rotate` }),
    { uses: 'token', needs: [['administer', '*']] },
  ),
  ask(`POST ${ID}/tokens/:key/rotate`, 'self', ({ token }) => ({ path: `identity/tokens/${token}/rotate` }), {
    about: 'nothing',
    usesUp: true,
    mayAlso: (principal) => principal.by === 'bearer' || named('system_admin', 'people_admin')(principal),
  }),
  ask(`GET ${ID}/warehouse-logins`, 'administer', 'identity/warehouse-logins'),
  // There is no PostgreSQL here: what is let in finds nothing to make a login in, and none.
  ask(
    `POST ${ID}/warehouse-logins`,
    'administer',
    () => ({ path: 'identity/warehouse-logins', body: { Name: 'tool', Roles: [] } }),
    { expects: [409] },
  ),
  ...['GET', 'DELETE'].map((method) =>
    ask(
      `${method} ${ID}/warehouse-logins/:key`,
      'administer',
      `identity/warehouse-logins/warehouselogin-${'0'.repeat(26)}`,
      { about: 'nothing', expects: [404] },
    ),
  ),
  ask(`GET ${ID}/users/:key/rights`, 'administer', ({ things }) => ({
    path: `identity/users/${things.user}/rights?object=contract`,
  })),
  ask(
    `GET ${ID}/users/:key/sessions`,
    'self',
    ({ things }) => ({ path: `identity/users/${things.user}/sessions` }),
    { needs: [['administer', '*']] },
  ),
  ask(
    `DELETE ${ID}/users/:key/sessions/:session`,
    'self',
    ({ things }) => ({ path: `identity/users/${things.user}/sessions/${things.session}` }),
    { uses: 'login', needs: [['administer', '*']] },
  ),
  ask('GET /api/v1/waiting', 'self', 'waiting'),
  ask(`GET ${ID}/companies`, 'operate', 'identity/companies'),
  ask(
    `POST ${ID}/companies`,
    'operate',
    () => ({
      path: 'identity/companies',
      body: { Name: 'New', AdminEmail: 'admin@example.com', AdminPassword: 'long enough it is' },
    }),
    { expects: [201] },
  ),
  ask(
    `GET ${ID}/companies/:key`,
    'operate',
    ({ things }) => ({ path: `identity/companies/${things.company}` }),
    {
      about: 'service',
    },
  ),
  ask(
    `PATCH ${ID}/companies/:key`,
    'operate',
    ({ things }) => ({ path: `identity/companies/${things.company}`, body: { Name: 'Changed' } }),
    { about: 'service', uses: 'company' },
  ),

  ask('GET /api/v1/projections', 'operate', 'projections'),
  ask('POST /api/v1/projections/:name/rebuild', 'operate', 'projections/search/rebuild', {
    expects: [202, 409],
  }),
  ask('POST /api/v1/projections/:name/resume', 'operate', 'projections/records/resume'),

  ask(`GET ${HOOKS}`, 'administer webhook', 'webhooks'),
  ask(`GET ${HOOKS}/events`, 'administer webhook', 'webhooks/events'),
  ask(
    `POST ${HOOKS}`,
    'administer webhook',
    () => ({ path: 'webhooks', body: { Url: 'https://hooks.example.com/x', Events: ['contract.created'] } }),
    { needs: [['read', 'contract']], expects: [201] },
  ),
  hook('GET', '', () => ''),
  ask(
    `PATCH ${HOOKS}/:key`,
    'administer webhook',
    ({ things }) => ({ path: `webhooks/${things.webhook}`, body: { Url: 'https://hooks.example.com/y' } }),
    { ...seen, uses: 'webhook' },
  ),
  hook('DELETE', '', () => '', { uses: 'webhook' }),
  hook('POST', '/ping', () => '/ping', { uses: 'webhook', expects: [202] }),
  hook('POST', '/rotate-secret', () => '/rotate-secret', { ...seen, uses: 'webhook' }),
  ask(
    `POST ${HOOKS}/:key/replay`,
    'administer webhook',
    ({ things }) => ({ path: `webhooks/${things.webhook}/replay`, body: { From: '2026-03-01T00:00:00Z' } }),
    { ...seen, uses: 'webhook', expects: [202] },
  ),
  hook('GET', '/replay/:replay', ({ replay }) => `/replay/${replay}`, seen),
  hook('GET', '/deliveries', () => '/deliveries', seen),
  hook('GET', '/deliveries/:delivery', ({ delivery }) => `/deliveries/${delivery}`, seen),
  hook('POST', '/deliveries/:delivery/redeliver', ({ delivery }) => `/deliveries/${delivery}/redeliver`, {
    ...seen,
    expects: [202],
  }),

  ask('GET /api/v1/imports', 'self', 'imports'),
  imported('GET', ''),
  imported('GET', '/preview'),
  imported('GET', '/suggestions'),
  ask('GET /api/v1/import-profiles', 'self', 'import-profiles'),
  ask(
    'POST /api/v1/import-profiles/suggest',
    'self',
    () => ({ path: 'import-profiles/suggest', body: { Object: 'building', Columns: ['Name'] } }),
    { shows: [['import', 'building']] },
  ),
  ask('POST /api/v1/import-profiles', 'self', () => ({ path: 'import-profiles', body: profileBody() }), {
    shows: [['import', 'building']],
    expects: [201],
  }),
  ask('GET /api/v1/import-schedules', 'administer', 'import-schedules'),
  ask(
    'POST /api/v1/import-schedules',
    'administer',
    ({ things }) => ({ path: 'import-schedules', body: scheduleBody(things.importprofile) }),
    { shows: [['import', 'building']], expects: [201] },
  ),
  scheduled('GET', ''),
  scheduled('PUT', '', { isSent: true }),
  scheduled('DELETE', '', { isSent: true }),
  scheduled('POST', '/run', { isSent: true, expects: [202] }),
  scheduled('POST', '/test'),
  profiled('GET'),
  profiled('PUT', () => ({ body: profileBody() })),
  profiled('DELETE', () => ({})),
  imported('GET', '/rows'),
  imported('GET', '/errors.csv'),
  imported('GET', '/errors.xlsx'),
  imported('GET', '/results.csv'),
  imported('GET', '/results.xlsx'),
  imported('PUT', '/mapping', { body: { Fields: { Name: { Column: 'Name' } } } }),
  imported('POST', '/check', {}),
  imported('POST', '/commit', {}),
  imported('POST', '/cancel', {}),
  // What has not been committed is not tried again.
  imported('POST', '/retry', {}, [409]),
  imported('POST', '/undo', {}, [409], {
    shows: [
      ['import', 'building'],
      ['delete', 'building'],
    ],
  }),

  ask('GET /api/v1/audit', 'audit', 'audit'),
  ask('GET /api/v1/audit/export', 'audit', 'audit/export?from=2026-03-01T00:00:00Z&object=building'),
  ask('GET /api/v1/warehouse', 'self', 'warehouse', {
    needs: [
      ['read', 'tenant'],
      ['export', 'tenant'],
    ],
  }),
  ask('GET /api/v1/warehouse/:table', 'self', 'warehouse/wh_Leasing_Building', {
    needs: [
      ['read', 'building'],
      ['export', 'building'],
    ],
  }),
  ask('GET /api/v1/warehouse/snapshot', 'self', 'warehouse/snapshot', {
    needs: [
      ['read', '*'],
      ['export', '*'],
      ['audit', '*'],
    ],
  }),
  ask(
    'POST /api/v1/warehouse/query',
    'self',
    () => ({ path: 'warehouse/query', body: { Sql: 'SELECT count(*) AS n FROM wh_Leasing_Building' } }),
    {
      needs: [
        ['read', 'building'],
        ['export', 'building'],
      ],
    },
  ),

  ask('GET /api/v1/health', 'probe', 'health'),
  ask('GET /api/v1/health/live', 'probe', 'health/live'),
  ask('GET /api/v1/health/ready', 'probe', 'health/ready'),
  ask('GET /api/v1/openapi.json', 'open', 'openapi.json'),
  ask('GET /', 'open', '/', { expects: [302, 303, 307, 308] }),
  ask('GET /docs', 'open', '/docs'),
  ask('GET /docs/guides/:page', 'open', '/docs/guides/history.md'),
  // Where the console is not built, the page says how to build it.
  ask('GET /console', 'open', '/console', { expects: [200, 503] }),
  ask('GET /console/*page', 'open', '/console/records/contract', { expects: [200, 503] }),
  ask('GET /console/assets/:name', 'probe', '/console/assets/none.js', { expects: [404] }),
  ask('GET /api/v1/objects', 'self', 'objects'),
  // As whoever asks by a proxy: the machine itself need not say who it is.
  ask('GET /metrics', 'operate', () => ({ path: '/metrics', headers: { Via: '1.1 proxy' } })),
]
