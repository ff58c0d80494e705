/** Which files are taken: whole ones, by all that a source says of them. */
import { expect } from 'chai'
import type { FileSource, SourceFile } from '../../../src/ports/sources/file-source.ts'
import { scheduleOf } from '../../../src/imports/schedules/schedule.ts'
import { doneFilesOf, wholeFiles, type FirstSeen } from '../../../src/imports/schedules/whole-files.ts'

describe('the files of a schedule that are whole', () => {
  let now: number
  let files: Map<string, Partial<SourceFile>>
  let between: () => void
  let firstSeen: FirstSeen
  beforeEach(() => {
    now = 0
    files = new Map()
    between = () => {}
    firstSeen = new Map()
  })
  const put = (name: string, bytes = 1, identity = '') => files.set(name, { bytes, identity })
  const list = async (): Promise<SourceFile[]> =>
    [...files].map(([name, file]) => ({ name, bytes: 0, modified: 0, identity: '', ...file }))
  const taken = async (more: object = {}) => {
    const schedule = scheduleOf({ Files: '*', Ignore: ['*.part'], StableSeconds: 30, MostFiles: 10, ...more })
    const wait = async (ms: number) => {
      now += ms
      between()
    }
    const source = { list } as unknown as FileSource
    const { whole } = await wholeFiles({ schedule, source, firstSeen, elapsed: () => now, wait })
    return whole.map(({ name }) => name)
  }

  it('are those that are the same at two looks, in the order of their names', async () => {
    put('b.csv')
    put('a.csv')
    put('grows.csv')
    put('replaced.csv', 1, 'one')
    put('gone.csv')
    between = () => {
      put('grows.csv', 2)
      put('replaced.csv', 1, 'other')
      files.delete('gone.csv')
      put('new.csv')
    }
    expect(await taken()).to.deep.equal(['a.csv', 'b.csv'])
    expect(now).to.equal(30_000)
  })

  it('are left until they have been there long enough, by our own clock', async () => {
    put('a.csv')
    expect(await taken({ MinAgeSeconds: 100 })).to.deep.equal([])
    now += 50_000
    put('a.csv', 2)
    expect(await taken({ MinAgeSeconds: 100 })).to.deep.equal([])
    now += 70_000
    expect(await taken({ MinAgeSeconds: 100 })).to.deep.equal(['a.csv'])
    expect(firstSeen.size).to.equal(1)
  })

  it('are those of which another file says so, and never that one', async () => {
    for (const name of ['a.csv', 'a.csv.done', 'b.csv', 'b.done', 'c.csv']) put(name)
    expect(await taken({ DoneFile: '*.done' })).to.deep.equal(['a.csv', 'b.csv'])
    expect(await taken({ DoneFile: '_SUCCESS' })).to.deep.equal([])
    put('_SUCCESS')
    expect(await taken({ DoneFile: '_SUCCESS', Files: '*.csv' })).to.deep.equal(['a.csv', 'b.csv', 'c.csv'])
  })

  it('are named by the whole name, or the name without its ending', () => {
    expect(doneFilesOf({ DoneFile: '*.ok' }, 'a.b.csv')).to.deep.equal(['a.b.csv.ok', 'a.b.ok'])
    expect(doneFilesOf({ DoneFile: '*.ok' }, '$&.csv')).to.deep.equal(['$&.csv.ok', '$&.ok'])
    expect(doneFilesOf({ DoneFile: null }, 'a.csv')).to.deep.equal([])
  })
})
