/** What looks back, told on whatever engines: history, reads as of a moment, the audit, the feed of changes. */
import { expect } from 'chai'
import type { Data, TestService } from '../../support/service.ts'
import { contractBody } from '../support/leasing.ts'
import { rebuildHasEnded } from './rebuild-story.ts'

export function lookingBackStory(open: () => Promise<TestService>): void {
  describe('and looking back', () => {
    let service: TestService
    let tenant: Data
    let contract: Data
    let since: string

    before(async () => {
      service = await open()
      since = (await service.get('contract/changes?since=now')).json['Next'] as string
      tenant = await service.create('tenant', { Name: 'Ann' })
      contract = await service.create('contract', { ...contractBody(), Tenant: tenant.Id, Notes: 'first' })
      await service.patch(`tenant/${tenant.Id}`, { Name: 'Bea' })
      const reason = { 'Daybook-Reason': 'second thoughts' }
      await service.patch(`contract/${contract.Id}`, { Notes: 'second' }, reason)
    })
    after(() => service.discard())

    it('tells the history of a record', async () => {
      const { list } = await service.get(`contract/${contract.Id}/history`)
      expect(list.map(({ Event, Reason }) => [Event, Reason])).to.deep.equal([
        ['contract.created', null],
        ['contract.updated', 'second thoughts'],
      ])
      expect(list[1]!['Changes']).to.deep.equal({ Notes: { From: 'first', To: 'second' } })
    })

    it('shows a record and a list as they were', async () => {
      const then = await service.get(`contract/${contract.Id}?asOf=1`)
      expect(then.data).to.deep.equal(contract)
      const moment = encodeURIComponent(
        (await service.get(`contract/${contract.Id}/history`)).list[0]!['At'] as string,
      )
      const early = await service.get(`contract?asOf=2001-01-01`)
      expect([early.status, early.list]).to.deep.equal([200, []])
      const list = await service.get(
        `contract?asOf=2999-01-01&filter=${encodeURIComponent(`Id eq '${contract.Id}'`)}`,
      )
      expect(list.list, list.text).to.deep.equal([(await service.get(`contract/${contract.Id}`)).data])
      expect((await service.get(`contract/${contract.Id}?asOf=${moment}`)).status).to.equal(200)
    })

    it('tells auditors everything, and that they asked', async () => {
      const audited = await service.get(`audit?key=${contract.Id}`)
      expect(
        audited.list.map(({ Event }) => Event),
        audited.text,
      ).to.deep.equal(['contract.created', 'contract.updated'])
      const exported = await service.get('audit/export?object=audit')
      expect(exported.text).to.include('audit.read').and.to.include(contract.Id)
    })

    it('feeds changes to those who follow', async () => {
      const first = await service.get(`contract/changes?since=${since}`)
      expect(first.list).to.deep.equal([(await service.get(`contract/${contract.Id}`)).data])
      await service.delete(`contract/${contract.Id}`)
      const next = await service.get(`contract/changes?since=${first.json['Next'] as string}`)
      expect(next.list).to.deep.equal([{ Id: contract.Id, IsDeleted: true }])
    })

    it('feeds each change once while read models are built anew', async () => {
      let token = (await service.get('unit/changes?since=now')).json['Next'] as string
      const units: Data[] = []
      for (let n = 0; n < 12; n++) units.push(await service.create('unit', { Number: `${n}` }))
      expect((await service.post('projections/records/rebuild')).status).to.equal(202)
      const told: Data[] = []
      const page = async () => {
        const answer = await service.get(`unit/changes?since=${token}&pageSize=5`)
        told.push(...answer.list)
        token = answer.json['Next'] as string
        return answer.json['HasMore']
      }
      await page()
      // Told already, so it is told again; not told yet, so it is told as it then is.
      const changed = [units[0]!, units[11]!].map(({ Id }) => service.patch(`unit/${Id}`, { Area: 7 }))
      const [first, last] = (await Promise.all(changed)).map(({ data }) => data) as [Data, Data]
      await rebuildHasEnded(service)
      while (await page());
      expect(told.slice(0, 11)).to.deep.equal(units.slice(0, 11))
      expect(told.slice(11)).to.have.deep.members([first, last])
    })

    it('goes on after a restart', async () => {
      await service.restart()
      const { list } = await service.get(`audit?key=${contract.Id}`)
      expect(list).to.have.length(3)
    })
  })
}
