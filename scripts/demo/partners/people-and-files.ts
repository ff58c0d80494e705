/** The employees of the demo's company at BambooHR, and its files at SharePoint and on a WebDAV server. */
import type { Parts } from './partners.ts'

const PEOPLE = [
  { id: '1', number: '1001', first: 'Maria', last: 'Keller', title: 'Managing director', manager: null },
  { id: '2', number: '1002', first: 'Tomáš', last: 'Novák', title: 'Lease manager', manager: '1001' },
  { id: '3', number: '1003', first: 'Piotr', last: 'Zieliński', title: 'Accountant', manager: '1001' },
  { id: '4', number: '1004', first: 'Sven', last: 'Lindqvist', title: 'Caretaker', manager: '1002' },
]
const LIBRARY = ['House rules.pdf', 'Fire safety plan.pdf', 'Energy certificate.pdf']
const FILES = ['Insurance 2026.pdf', 'Lift inspection.pdf']

export function peopleAndFiles(now: () => number): Parts {
  const iso = () => new Date(now()).toISOString()
  return {
    bamboohr({ method, path }) {
      if (path === '/v1/employees/changed')
        return {
          json: { employees: Object.fromEntries(PEOPLE.map(({ id }) => [id, { id, lastChanged: iso() }])) },
        }
      if (method === 'POST') return {}
      const person = PEOPLE.find(({ id }) => path === `/v1/employees/${id}`)
      if (!person) return undefined
      const { id, number, first, last, title, manager } = person
      const workEmail = `${last
        .normalize('NFD')
        .replaceAll(/[^A-Za-z]/g, '')
        .toLowerCase()}@example.com`
      return {
        json: {
          id,
          employeeNumber: number,
          displayName: `${first} ${last}`,
          firstName: first,
          lastName: last,
          workEmail,
          jobTitle: title,
          department: 'Property',
          status: 'Active',
          supervisorEId: manager,
        },
      }
    },
    sharepoint({ method, path, body }) {
      if (path === '/token') return { json: { access_token: 'access', expires_in: 3_600 } }
      if (method === 'POST')
        return { status: 201, json: { id: `folder ${(JSON.parse(body) as { name: string }).name}` } }
      if (!path.endsWith('/delta')) return undefined
      const value = LIBRARY.map((name, index) => ({
        id: `01FILE${index}`,
        name,
        size: 48_000 + index * 1_000,
        file: { mimeType: 'application/pdf' },
        eTag: `"{E${index}},1"`,
        cTag: `"c:{E${index}},1"`,
        webUrl: `https://linden.sharepoint.example/Documents/${encodeURIComponent(name)}`,
        lastModifiedDateTime: iso(),
      }))
      return { json: { value } }
    },
    webdav({ method, path }) {
      if (method !== 'PROPFIND')
        return { status: method === 'PROPPATCH' ? 207 : 201, xml: '<multistatus xmlns="DAV:"/>' }
      const folder = `<response><href>/webdav${path}</href><propstat><prop><resourcetype><collection/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response>`
      const files = path === '/' ? FILES.map(fileAt) : []
      return {
        status: 207,
        xml: `<?xml version="1.0"?><multistatus xmlns="DAV:">${folder}${files.join('')}</multistatus>`,
      }
    },
  }
}

const fileAt = (name: string, index: number) =>
  `<response><href>/webdav/${encodeURIComponent(name)}</href><propstat><prop><resourcetype/>` +
  `<getetag>"${index}-1"</getetag><getcontentlength>${52_000 + index}</getcontentlength>` +
  '<getcontenttype>application/pdf</getcontenttype></prop><status>HTTP/1.1 200 OK</status></propstat></response>'
