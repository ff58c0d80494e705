/** A file of an integration that takes and sends tenants, and asks for changes once an hour. */
const request = { method: 'POST', path: '/people', body: { object: { name: 'Name', phone: 'Phone' } } }
export const BOTH_WAYS = {
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
  poll: [
    {
      name: 'changes',
      every: 3_600,
      request: { method: 'GET', path: '/people' },
      items: 'people',
      since: {
        from: { iso: 'changed' },
        send: { parameter: 'since' },
        as: 'iso',
        atFirst: '2000-01-01T00:00:00Z',
        overlap: 60,
      },
      as: 'people',
    },
  ],
  send: [
    {
      name: 'people',
      object: 'tenant',
      on: ['tenant.created', 'tenant.updated'],
      request,
      update: { ...request, method: 'PUT', path: '/people/{id}', parameters: { id: '$.link' } },
      idempotency: { header: 'Idempotency-Key' },
      answer: { link: 'id' },
    },
  ],
}
