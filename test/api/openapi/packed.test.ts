/** The document and its page, which are large, are sent packed to those who can unpack them. */
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'

describe('what describes the API', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  const get = (path: string, encoding: string, method = 'GET') =>
    new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) =>
      request(new URL(path, service.url), { method, headers: { 'Accept-Encoding': encoding } }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(parts) }))
      })
        .on('error', reject)
        .end(),
    )

  for (const path of ['/docs', '/api/v1/openapi.json'])
    it(`${path} is a tenth of its size where it may be packed`, async () => {
      const plain = await get(path, 'identity')
      const packed = await get(path, 'br, gzip')
      expect(packed.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
      expect(packed.headers['content-type']).to.equal(plain.headers['content-type'])
      expect(packed.headers['content-length']).to.equal(String(packed.body.length))
      expect(plain.headers).not.to.have.property('content-encoding')
      expect(packed.body.length).to.be.below(plain.body.length / 8)
      expect(gunzipSync(packed.body).equals(plain.body)).to.equal(true)
      const head = await get(path, 'gzip', 'HEAD')
      expect(head.headers['content-length']).to.equal(packed.headers['content-length'])
      expect(head.body.length).to.equal(0)
    })
})
