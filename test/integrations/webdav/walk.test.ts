/** Folders of a WebDAV server that says what it likes: only what stands below the folder is listed, and within bounds. */
import { expect } from 'chai'
import type { Called, FilledRequest } from '../../../src/integrations/calls/call.ts'
import { Later } from '../../../src/integrations/calls/later.ts'
import { walkFolders } from '../../../src/integrations/webdav/walk.ts'

const BASE = 'https://files.example.com/dav/anna'
const top: FilledRequest = { method: 'PROPFIND', path: '/', headers: {}, body: undefined }

interface Answer {
  readonly status?: number
  readonly type?: string
  readonly hrefs?: readonly string[]
  readonly text?: string
}

const resource = (href: string) =>
  `<response><href>${href}</href><propstat><prop><resourcetype>${href.endsWith('/') ? '<collection/>' : ''}</resourcetype>` +
  `<getetag>e</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response>`

async function walk(answer: (path: string) => Answer, skip: readonly string[] = []) {
  const asked: string[] = []
  const walked = await walkFolders({
    top,
    skip,
    ask: async ({ path }): Promise<Called> => {
      asked.push(path)
      const { status = 207, type = 'application/xml; charset=utf-8', hrefs = [], text } = answer(path)
      return {
        kind: 'answered',
        status,
        headers: { 'content-type': type },
        text: text ?? `<multistatus xmlns="DAV:">${hrefs.map(resource).join('')}</multistatus>`,
        json: undefined,
        url: BASE + path,
      }
    },
  })
  return { asked, unread: walked.unread, paths: walked.files.map(({ path }) => path) }
}

async function refusal(answer: (path: string) => Answer): Promise<Later> {
  try {
    await walk(answer)
  } catch (error) {
    if (error instanceof Later) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('folders of a WebDAV server', () => {
  it('are listed one by one, by addresses that are written in any way', async () => {
    const { asked, paths } = await walk((path) =>
      path === '/'
        ? { hrefs: ['/dav/anna/', 'http://inside/dav/anna/a%20b/', '/dav/%61nna/%C3%A4.pdf'] }
        : { hrefs: ['/dav/anna/a%20b', '/dav/anna/a b/c%26d.pdf'] },
    )
    expect(asked).to.deep.equal(['/', '/a%20b/'])
    expect(paths).to.deep.equal(['ä.pdf', 'a b/c&d.pdf'])
  })

  it('lead nowhere else, and not round and round', async () => {
    const elsewhere = [
      '/etc/passwd',
      '/dav/anna/../bob/secret.pdf',
      '/dav/anna/%2e%2e/bob.pdf',
      '/dav/anna/..%2fbob.pdf',
      '/dav/anna/a%00.pdf',
      '/dav/anna/%ff.pdf',
      '/dav/annabel/x.pdf',
      'javascript:alert(1)',
      'http://[',
      '/dav/anna/deep/er/file.pdf',
      '/dav/anna/./',
    ]
    const { asked, paths } = await walk(() => ({ hrefs: [...elsewhere, '/dav/anna/good.pdf'] }))
    expect(paths).to.deep.equal(['good.pdf'])
    expect(asked).to.deep.equal(['/'])
  })

  it('are listed to a depth of 30, and up to 2,000 of them', async () => {
    const { asked } = await walk((path) => ({ hrefs: [`/dav/anna${path}x/`] }))
    expect(asked).to.have.length(30)
    const many = Array.from({ length: 2_001 }, (_, n) => `/dav/anna/${n}/`)
    const { message, isForPerson } = await refusal((path) => (path === '/' ? { hrefs: many } : {}))
    expect(message).to.equal('there are more than 2000 folders')
    expect(isForPerson).to.equal(true)
  })

  it('are passed over where they may not be read, and where they have just gone', async () => {
    const { paths, unread } = await walk(
      (path) => {
        if (path === '/shut/') return { status: 403 }
        if (path === '/gone/') return { status: 404 }
        return {
          hrefs: [
            '/dav/anna/shut/',
            '/dav/anna/gone/',
            '/dav/anna/a.pdf',
            '/dav/anna/.hidden',
            '/dav/anna/b.pdf',
          ],
        }
      },
      ['b.pdf'],
    )
    expect({ paths, unread }).to.deep.equal({ paths: ['a.pdf'], unread: ['shut/'] })
  })

  const refused: readonly (readonly [string, Answer, RegExp])[] = [
    ['a web page', { type: 'text/html', text: '<html/>' }, /answers with text\/html, and not with XML/],
    ['no media type', { type: '' }, /no media type/],
    ['an entity', { text: '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>' }, /DOCTYPE/],
    ['another status', { status: 200 }, /answers 200 and not what was asked for/],
    ['no folder', { status: 404 }, /there is no folder at https:\/\/files\.example\.com\/dav\/anna\//],
    ['a refusal', { status: 401 }, /check the credentials/],
  ]
  for (const [what, answer, why] of refused)
    it(`that answer with ${what} are said to do so`, async () => {
      expect((await refusal(() => answer)).message).to.match(why)
    })
})
