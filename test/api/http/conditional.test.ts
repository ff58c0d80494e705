/** Versions in headers: ETag, If-Match and If-None-Match (docs/open-facts.md 42). */
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('versions over HTTP', () => {
  let service: TestService
  let path: string

  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  /** A contract at version 3. */
  beforeEach(async () => {
    const { Id } = await service.create('contract', contractBody({ Notes: 'one' }))
    path = `contract/${Id}`
    await service.patch(path, { Notes: 'two' })
    await service.patch(path, { Notes: 'three', Duration: 6 })
  })

  const version = async () => (await service.get(path)).headers.get('ETag')

  describe('If-Match', () => {
    it('lets a write pass that names the version as it is, alone or among others, or any', async () => {
      let current = 3
      for (const header of [
        () => `"${current}"`,
        () => `"99", "${current}"`,
        () => `W/"1","${current}"`,
        () => '*',
        () => ' * ',
      ]) {
        const sent = header()
        const answer = await service.patch(
          path,
          { Notes: `with ${sent} at ${current}` },
          { 'If-Match': sent },
        )
        expect([answer.status, answer.headers.get('ETag')], sent).to.deep.equal([200, `"${++current}"`])
      }
    })

    it('stops every kind of write that names another version', async () => {
      for (const [method, suffix, body] of [
        ['PATCH', '', { Notes: 'late' }],
        ['PUT', '', { Notes: 'late' }],
        ['DELETE', '', undefined],
        ['POST', '/restore', undefined],
      ] as const) {
        const sent = { ...(body && { body }), headers: { 'If-Match': '"2"' } }
        const answer = await service.send(method, `${path}${suffix}`, sent)
        expect([answer.status, answer.error.Code], method).to.deep.equal([412, 'CONFLICT'])
      }
      expect(await version()).to.equal('"3"')
    })

    it('tells which fields have changed since, by whom and when', async () => {
      const since = async (tag: string) =>
        (await service.patch(path, { Notes: 'x' }, { 'If-Match': tag })).error.Details
      const [last, ...more] = await since('"2"')
      expect([last, ...more].map((detail) => detail?.Field)).to.have.members(['Notes', 'Duration', 'EndDate'])
      expect(last?.Message)
        .to.include('by bootstrap')
        .and.to.match(/\d{4}-\d\d-\d\dT.*contract\.updated/)
      expect((await since('"1"')).map(({ Field }) => Field)).to.have.members([
        'Notes',
        'Notes',
        'Duration',
        'EndDate',
      ])
    })

    it('never passes with a weak tag, a foreign one, or one that only looks like the version', async () => {
      for (const header of [
        'W/"3"',
        '"x"',
        '"03"',
        '"3.0"',
        '"3e0"',
        '""',
        '"-3"',
        '"99999999999999999999"',
      ]) {
        const answer = await service.patch(path, { Notes: 'x' }, { 'If-Match': header })
        expect([answer.status, answer.error.Code], header).to.deep.equal([412, 'CONFLICT'])
        expect(answer.faults, header).to.deep.equal([
          'If-Match: must be an ETag such as "3"; a weak one (W/) or another text never matches',
        ])
      }
    })

    it('is refused as malformed', async () => {
      for (const header of [
        '',
        '3',
        "'3'",
        '"3',
        '3"',
        '"3";',
        '"3" "4"',
        '"3",',
        '*,"3"',
        'w/"3"',
        '"\u00e9 "',
      ]) {
        const answer = await service.patch(path, { Notes: 'x' }, { 'If-Match': header })
        expect([answer.status, answer.error.Code], header).to.deep.equal([400, 'VALIDATION_ERROR'])
        expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['If-Match'])
      }
      expect(await version()).to.equal('"3"')
    })

    it('is looked at before the body', async () => {
      const answer = await service.patch(path, { Nope: 1 }, { 'If-Match': '"1"' })
      expect(answer.status).to.equal(412)
    })

    it('says nothing about a record that is not there', async () => {
      for (const header of ['"1"', '*'])
        for (const method of ['PATCH', 'DELETE']) {
          const body = method === 'DELETE' ? {} : { body: { Notes: 'x' } }
          const missing = `contract/contract-${'0'.repeat(26)}`
          const answer = await service.send(method, missing, { ...body, headers: { 'If-Match': header } })
          expect(answer.status).to.equal(404)
        }
    })
  })

  describe('If-None-Match', () => {
    it('is refused where something is changed', async () => {
      for (const method of ['PATCH', 'PUT', 'DELETE']) {
        const sent = {
          body: method === 'DELETE' ? undefined : { Notes: 'x' },
          headers: { 'If-None-Match': '*' },
        }
        const answer = await service.send(method, path, sent)
        expect(answer.status, method).to.equal(400)
        expect(answer.faults, method).to.deep.equal([
          'If-None-Match: is for reads, and for PUT of what may be new; a change takes If-Match',
        ])
      }
    })

    it('answers 304 without a body when the client has the version, by a strong or a weak tag', async () => {
      for (const header of ['"3"', 'W/"3"', '"1", "3"', '"1",W/"3"', '*']) {
        const answer = await service.get(path, { 'If-None-Match': header })
        expect([answer.status, answer.text, answer.headers.get('ETag')], header).to.deep.equal([
          304,
          '',
          '"3"',
        ])
      }
    })

    it('answers the record when the client has another version, or says it badly', async () => {
      for (const header of ['"2"', '"4"', 'W/"2"', '"33"', '3', '', '"3', 'x']) {
        const answer = await service.get(path, { 'If-None-Match': header })
        expect([answer.status, answer.data['Notes']], header).to.deep.equal([200, 'three'])
      }
    })

    it('tells of a change', async () => {
      expect((await service.get(path, { 'If-None-Match': '"3"' })).status).to.equal(304)
      await service.patch(path, { Notes: 'four' })
      expect((await service.get(path, { 'If-None-Match': '"3"' })).status).to.equal(200)
    })
  })
})
