/**
 * What the client has to do wherever it runs: plain JavaScript, so that Node 20 and a browser run it as it stands. It runs against
 * a service, and answers what it has found; who calls it says whether that is right.
 */

/**
 * @param {any} client the package
 * @param {{ url: string, token: string, name: string }} given `name`: of what it makes, so that runs do not meet
 */
export async function found(client, { url, token, name }) {
  const { Daybook, Conflict, Invalid, NotFound, eur, where, verifyWebhook } = client
  const daybook = new Daybook({ url, token })
  const caught = async (/** @type {Promise<unknown>} */ promise) =>
    promise.then(
      () => 'nothing',
      (error) => error,
    )
  const quoted = `${name} O'Brien') or (1 eq 1`
  const { record: tenant } = await daybook.tenant.create({ Name: quoted })
  const made = await daybook.contract.create({
    Tenant: tenant.Id,
    MonthlyRent: eur(1200.5),
    StartDate: '2035-01-01',
  })
  const changed = await daybook.contract.update(
    made.record.Id,
    { Duration: 24 },
    { ifMatch: made.etag, reason: 'påslag — 𝒳' },
  )
  const late = await caught(daybook.contract.update(made.record.Id, { Duration: 36 }, { ifMatch: made.etag }))
  const wrong = await caught(daybook.contract.create({ Nope: 1 }))
  const gone = await caught(daybook.contract.get('contract-00000000000000000000000000'))
  const history = await daybook.contract.history(made.record.Id).toArray({ limit: 9 })
  const past = await daybook.contract.get(made.record.Id, { asOf: 1 })
  const key = `${name}-once`
  const once = await Promise.all(
    [1, 2].map(() => daybook.tenant.create({ Name: `${name} once` }, { idempotencyKey: key })),
  )
  const rows = await daybook.building.batch(
    Array.from({ length: 130 }, (_, index) => ({ Name: `${name} ${1_000 + index}` })),
  )
  const names = []
  for await (const building of daybook.building.list({
    filter: where`startswith(Name, ${`${name} 1`})`,
    sort: 'Name',
    fields: ['Name'],
  })) {
    if (names.length === 0) await daybook.building.create({ Name: `${name} 1zzz` })
    names.push(building.Name)
  }
  const sent = await daybook.imports.upload('tenant', `Name,ExternalId\n${name} a,${name}-1\n`, {
    Commit: true,
  })
  const imported = await daybook.imports.finished(sent.Id)
  const asked = await daybook.warehouse.query('SELECT 1 AS one, NULL AS none')
  const exported = await (
    await daybook.tenant.export({
      format: 'csv',
      fields: ['Name'],
      filter: where`Name eq ${quoted}`,
    })
  ).text()
  const submitted = await daybook.contract.act(made.record.Id, 'submit', { Comment: 'as agreed' })
  const body = '{"Event":"contract.created","Timestamp":"2030-01-01T00:00:00Z","Data":{"Id":"x"}}'
  const flipped = await caught(
    verifyWebhook(body, { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, ['s']),
  )
  await daybook.contract.delete(made.record.Id)
  return {
    found: (await daybook.tenant.page({ filter: where`Name eq ${quoted}` })).Data.map(
      (/** @type {any} */ one) => one.Id === tenant.Id,
    ),
    etags: [made.etag, changed.etag],
    refused: [
      [late instanceof Conflict, late.kind, late.fields],
      [wrong instanceof Invalid, wrong.kind, wrong.details?.[0]?.Field],
      [gone instanceof NotFound, gone.kind],
    ],
    reasons: history.map((/** @type {any} */ one) => one.Reason),
    past: past.record.Duration,
    once: once[0].record.Id === once[1].record.Id,
    created: rows.filter((/** @type {any} */ one) => one.Status === 201).length,
    listed: names.length,
    imported: [imported.State, imported.Counts.Created],
    asked: [asked.Columns, asked.Rows],
    exported: exported.includes(quoted),
    status: submitted.record.Status,
    flipped: flipped.constructor.name,
    hidden: !JSON.stringify([late, String(late.stack)]).includes(token),
  }
}
