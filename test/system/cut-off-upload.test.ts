/** A file whose sender goes away before its end: nothing of it is left, as a form or as a body. */
import { readdirSync } from 'node:fs'
import { request as ask } from 'node:http'
import { expect } from 'chai'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { eventually } from './support/eventually.ts'

describe('an upload that is cut off', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  const begun = () => {
    const names = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' })
    return names.filter((name) => /(^|\/)\.begun\/./.test(name))
  }

  for (const [how, type, head] of [
    ['a body', 'text/csv', ''],
    [
      'a form',
      'multipart/form-data; boundary=xxx',
      '--xxx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n',
    ],
  ] as const)
    it(`leaves nothing of ${how}`, async () => {
      const sending = ask(`${service.url}/api/v1/tenant/import`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': type, 'Content-Length': 1_000_000 },
      })
      sending.on('error', () => {})
      sending.write(`${head}Name\r\n${'Ann\r\n'.repeat(20_000)}`)
      await eventually('it is being kept', async () => expect(begun()).to.have.length(1))
      sending.destroy()
      await eventually('it is gone', async () => expect(begun()).to.deep.equal([]))
    })
})
