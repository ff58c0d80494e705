/** What has happened to files, by comparing two listings of them. */
import { expect } from 'chai'
import fc from 'fast-check'
import { compareFiles, type Kept, type Listed } from '../../../src/integrations/webdav/file-list.ts'

const idOf = (name: string) => name
const isUnread = () => false

/** A server that is listed again and again, and what is known of it here. */
function watched() {
  const known = new Map<string, Kept>()
  return {
    known,
    list(files: readonly Listed[], more: Partial<Parameters<typeof compareFiles>[2]> = {}) {
      const { changes, kept } = compareFiles(known, files, { idOf, isUnread, ...more })
      for (const [id, file] of kept) known.set(id, file)
      return changes.map(({ id, file, isBack }) => ({ id, path: file?.path, ...(isBack && { isBack }) }))
    },
  }
}
const file = (path: string, tag = `tag of ${path}`): Listed => ({ path, tag })
const [A, B] = [file('a'), file('b')]
const idA = 'path a tag of a 0'

describe('files of a folder', () => {
  it('are told once, and again when they change', () => {
    const { list } = watched()
    expect(list([A, B])).to.have.length(2)
    expect(list([A, B])).to.deep.equal([])
    expect(list([file('a', 'second'), B])).to.deep.equal([{ id: idA, path: 'a' }])
  })

  it('are the same when they are renamed or moved', () => {
    const { list } = watched()
    list([A, B])
    expect(list([{ ...A, path: 'folder/c' }, B])).to.deep.equal([{ id: idA, path: 'folder/c' }])
    expect(list([file('a', 'another'), { ...A, path: 'folder/c' }, B])).to.deep.equal([
      { id: 'path a another 0', path: 'a' },
    ])
  })

  it('are the same by their number though they change while they are moved', () => {
    const { list } = watched()
    list([{ ...A, fileId: '7' }])
    expect(list([{ path: 'b', tag: 'other', fileId: '7' }])).to.deep.equal([{ id: 'number 7', path: 'b' }])
  })

  it('are gone once two listings have them no more', () => {
    const { list } = watched()
    list([A, B])
    expect(list([B])).to.deep.equal([])
    expect(list([B])).to.deep.equal([{ id: idA, path: undefined }])
    expect(list([B])).to.deep.equal([])
    expect(list([A, B])).to.deep.equal([{ id: idA, path: 'a', isBack: true }])
  })

  it('may be missing once, and may turn up elsewhere then', () => {
    const { list } = watched()
    list([A, B])
    list([B])
    expect(list([A, B])).to.deep.equal([])
    list([B])
    expect(list([{ ...A, path: 'c' }, B])).to.deep.equal([{ id: idA, path: 'c' }])
  })

  it('are not gone where their folder may not be read, and at once where all is compared', () => {
    const { list } = watched()
    list([A, file('x/b')])
    for (let time = 0; time < 3; time++)
      expect(list([A], { isUnread: (path) => path.startsWith('x/') })).to.deep.equal([])
    expect(list([A], { isFinal: true })).to.have.length(1)
  })

  it('with the same content are not taken for each other', () => {
    const { list } = watched()
    list([file('a', 'same'), file('b', 'same')])
    const changes = list([file('c', 'same'), file('d', 'same')])
    expect(changes).to.have.length(2)
    expect(new Set(changes.map(({ id }) => id))).to.not.include('path a same 0')
  })

  it('are known as they are, whatever happens to them', () => {
    const tag = fc.constantFrom('1', '2', '3', '4')
    const state = fc.uniqueArray(fc.record({ path: fc.constantFrom('a', 'b', 'c', 'd', 'e'), tag }), {
      selector: ({ path }) => path,
    })
    fc.assert(
      fc.property(fc.array(state, { minLength: 1 }), (states) => {
        const { list, known } = watched()
        const told = new Map<string, string>()
        for (const files of [...states, states.at(-1)!, states.at(-1)!])
          for (const { id, path } of list(files))
            if (path === undefined) told.delete(id)
            else told.set(id, path)
        const last = states.at(-1)!
        expect([...told.values()].sort()).to.deep.equal(last.map(({ path }) => path).sort())
        const there = [...known.values()].filter(({ presence }) => presence === 'there')
        expect(there.map(({ path, tag }) => `${path} ${tag}`).sort()).to.deep.equal(
          last.map(({ path, tag }) => `${path} ${tag}`).sort(),
        )
      }),
    )
  })
})
