/** A process that dies between the inbox and what is kept of the files: the next one goes by what the files are then. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import type { Kept } from '../../../src/integrations/webdav/file-list.ts'
import type { KeptPart } from '../../../src/integrations/webdav/kept-lists.ts'
import { pollFiles } from '../../../src/integrations/webdav/poll-files.ts'

const BASE = 'https://files.example.com'

/** A server, and what is here of its files: each item is taken once, in its turn. */
function watched() {
  const parts: KeptPart[] = Array.from({ length: 32 }, () => ({ version: 0, files: new Map<string, Kept>() }))
  const here = new Map<string, string>()
  const taken: string[] = []
  const take = ({ id, seen, etag, path, deleted }: Fields) => {
    const message = JSON.stringify([id, seen, etag, path, deleted])
    if (taken.includes(message)) return
    taken.push(message)
    if (deleted === true) here.delete(id as string)
    else here.set(id as string, path as string)
  }
  let isDead = false
  const mustLive = () => {
    if (isDead) throw new Error('the process is dead')
  }
  const lists = {
    load: async () => [...parts],
    async store(_: unknown, part: number, version: number, files: ReadonlyMap<string, Kept>) {
      mustLive()
      expect(version).to.equal(parts[part]!.version)
      parts[part] = { version: version + 1, files }
      return true
    },
  }
  const poll = (files: readonly string[], dies?: 'before the inbox' | 'after the inbox') =>
    pollFiles(
      { lists, clock: { now: () => 1_900_000_000_000 } },
      {
        integration: { company: 'company-1', key: 'integration-1' },
        poll: { name: 'files' },
        top: { method: 'PROPFIND', path: '/', headers: {}, body: undefined },
        isFull: false,
        ask: async () => ({
          kind: 'answered',
          status: 207,
          headers: { 'content-type': 'application/xml' },
          text: `<multistatus xmlns="DAV:">${files.map(resource).join('')}</multistatus>`,
          json: undefined,
          url: `${BASE}/`,
        }),
        async keep(items) {
          isDead = dies === 'before the inbox'
          mustLive()
          items.forEach((item) => take(item as Fields))
          isDead = dies === 'after the inbox'
        },
      },
    ).catch((error: unknown) => {
      if (!isDead) throw error
      isDead = false
    })
  return { poll, here: () => [...here.values()].sort(), taken }
}

/** A name is the path, and before the dot what the content is. */
const resource = (name: string) =>
  `<response><href>/${name}</href><propstat><prop><resourcetype/><getetag>${name.split('.')[0]!}</getetag></prop>` +
  '<status>HTTP/1.1 200 OK</status></propstat></response>'

for (const dies of ['before the inbox', 'after the inbox'] as const)
  describe(`a process that dies ${dies}`, () => {
    it('has each change once', async () => {
      const { poll, here, taken } = watched()
      await poll(['a.1', 'b.1'], dies)
      for (let time = 0; time < 3; time++) await poll(['a.1', 'b.1'])
      expect([here(), taken.length]).to.deep.equal([['a.1', 'b.1'], 2])
    })

    it('leaves no file that is deleted before the next one', async () => {
      const { poll, here } = watched()
      await poll(['a.1', 'b.1'], dies)
      for (let time = 0; time < 3; time++) await poll(['a.1'])
      expect(here()).to.deep.equal(['a.1'])
    })

    it('leaves no name that is taken back before the next one', async () => {
      const { poll, here } = watched()
      await poll(['a.1', 'b.1'])
      await poll(['a.1', 'b.2'], dies)
      for (let time = 0; time < 3; time++) await poll(['a.1', 'b.1'])
      expect(here()).to.deep.equal(['a.1', 'b.1'])
    })

    it('takes no file away that is back before the next one', async () => {
      const { poll, here } = watched()
      for (const files of [['a.1', 'b.1'], ['a.1']]) await poll(files)
      await poll(['a.1'], dies)
      for (let time = 0; time < 3; time++) await poll(['a.1', 'b.1'])
      expect(here()).to.deep.equal(['a.1', 'b.1'])
    })

    it('has a change that is missed by one listing and there again', async () => {
      const { poll, here } = watched()
      await poll(['a.1', 'b.1'], dies)
      await poll(['a.1'])
      await poll(['a.1', 'b.1'])
      expect(here()).to.deep.equal(['a.1', 'b.1'])
    })
  })
