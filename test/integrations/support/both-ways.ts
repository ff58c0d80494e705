/** Files of an integration with a directory of people, who are tenants here: tests that need another spread these. */

/** Takes people. */
export const DIRECTORY = {
  integration: 'directory',
  scenario: 'other',
  title: 'Directory',
  description: 'Tenants both ways.',
  credentials: [{ name: 'token' }],
  receive: [
    {
      name: 'people',
      verify: [{ bearer: 'token' }],
      map: [{ object: 'tenant', link: 'id', set: { Name: 'name', Phone: 'phone' } }],
    },
  ],
}

/** How it sends them, with their members by those of tenants. */
export const sendPeople = (people: Readonly<Record<string, string>>) => ({
  name: 'people',
  object: 'tenant',
  on: ['tenant.created', 'tenant.updated'],
  request: { method: 'POST', path: '/people', body: { object: people } },
  update: { method: 'PUT', path: '/people/{id}', parameters: { id: '$.link' }, body: { object: people } },
  answer: { link: 'id' },
})

/** Of a request that is sent again. */
export const WITH_KEY = { idempotency: { header: 'Idempotency-Key' } }

/** Asks for changes once an hour. */
export const CHANGES = {
  name: 'changes',
  every: 3_600,
  request: { method: 'GET', path: '/people' },
  items: 'people',
  since: { from: { iso: 'changed' }, send: { parameter: 'since' }, as: 'iso', overlap: 60 },
  as: 'people',
}

/** Takes and sends people, and asks for changes. */
export const BOTH_WAYS = {
  ...DIRECTORY,
  poll: [{ ...CHANGES, since: { ...CHANGES.since, atFirst: '2000-01-01T00:00:00Z' } }],
  send: [{ ...sendPeople({ name: 'Name', phone: 'Phone' }), ...WITH_KEY }],
}
