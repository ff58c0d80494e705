/** Pages far back in the list of all: what they show stays true whatever is created, removed or restored before and after them. */
import { expect } from 'chai'
import { sampleDefinitions as definitions } from '../support/sample-definitions.ts'
import { column } from './read-side/ask.ts'
import type { ReadSide } from './read-side/side.ts'
import { applyAll, tale, type Timeline } from './read-side/tale.ts'

const PAGE = 50

export function farListsContract(given: () => { side: ReadSide; time: Timeline }): void {
  it('have the same records, however they were reached', async () => {
    const { side, time } = given()
    const story = tale({ definitions, time })
    const tell = () => applyAll(side.store, story.untold())
    const here = { readModels: side.readModels, definitions, company: story.company }
    /** Newest first. */
    let listed: string[] = []
    const create = (count: number) => {
      for (let n = 0; n < count; n++) listed.unshift(story.create('unit', { Number: `U${n}` }))
    }
    const judge = async () => {
      await tell()
      const pages: unknown[] = []
      // The last page first: what is learnt on the way to it is of use for those before it.
      for (let offset = Math.floor((listed.length - 1) / PAGE) * PAGE; offset >= 0; offset -= PAGE)
        pages.unshift(...(await column(here, 'unit', 'Id', { offset, limit: PAGE })))
      expect(pages).to.deep.equal(listed)
    }
    create(430)
    await judge()
    create(3)
    await judge()
    const gone = [listed[20]!, listed[300]!]
    const all = listed
    for (const key of gone) story.remove(key)
    listed = listed.filter((key) => !gone.includes(key))
    await judge()
    for (const key of gone) story.restore(key)
    listed = all
    create(30)
    await judge()
  })
}
