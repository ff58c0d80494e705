import { expect } from 'chai'
import type { Request } from 'express'
import { knownSegments, loggedPath, routeOf } from '../../../src/api/http/logged-path.ts'

const KEY = 'tenant-06f3k2m9x7q8r1s4t5v6w0y2z3'
const isKnown = knownSegments(['tenant', 'audit'])
const logged = (originalUrl: string, path?: unknown) =>
  loggedPath({ originalUrl, ...(path !== undefined && { route: { path } }) } as Request, isKnown)

describe('a path in the log', () => {
  it('tells the route, the object and the Key', () => {
    for (const [url, route, path] of [
      ['/api/v1/tenant', '/:object', '/api/v1/tenant'],
      [`/api/v1/tenant/${KEY}`, '/:object/:key', `/api/v1/tenant/${KEY}`],
      [`/api/v1/tenant/${KEY}/history`, '/:object/:key/history', `/api/v1/tenant/${KEY}/history`],
      ['/api/v1/audit/export', '/export', '/api/v1/audit/export'],
      ['/docs', '/docs', '/docs'],
      ['/', '/', ''],
      [`/api/v1/tenant/${KEY}`, undefined, `/api/v1/tenant/${KEY}`],
    ])
      expect(logged(url!, route), url).to.equal(path)
  })

  it('tells nothing else that the client wrote', () => {
    for (const [url, route, path] of [
      ['/api/v1/tenant/by/Email/ada', '/:object/by/:field/:value', '/api/v1/tenant/by/:field/:value'],
      ['/api/v1/tenant/by/Email/ada', undefined, '/api/v1/tenant/…/…/…'],
      ['/api/v1/tenant/ada/', '/:object/:key', '/api/v1/tenant/:key'],
      [`/api/v1/tenant/${KEY}x`, '/:object/:key', '/api/v1/tenant/:key'],
      ['/api/v1/ada?search=ada#ada', '/:object', '/api/v1/:object'],
      ['//ada//tenant?ada/?ada', undefined, '/…/tenant'],
      ['http://ada:ada@example.com/api/v1/ada', undefined, '/…/…/api/v1/…'],
      ['/api/v1/by/by/by/ada', '/:object/by/:field/:value', '/api/v1/:object/by/:field/:value'],
      ['/ada', '*splat', '/…'],
      ['/ada', /ada/, '/…'],
    ])
      expect(logged(url as string, route), url as string).to.equal(path)
  })

  it('is no longer than what is looked at', () =>
    expect(logged(`/${'/a'.repeat(10_000)}`).length).to.be.below(2_000))
})

describe('a route in numbers', () => {
  const counted = (originalUrl: string, baseUrl: string, path?: string) =>
    routeOf({ originalUrl, baseUrl, ...(path !== undefined && { route: { path } }) } as Request, isKnown)

  it('is the same whether it answered or failed', () => {
    for (const baseUrl of ['/api/v1', ''])
      expect(counted(`/api/v1/tenant/${KEY}?x=/y`, baseUrl, '/:object/:key')).to.equal('/api/v1/:object/:key')
    for (const baseUrl of ['/api/v1/audit', ''])
      expect(counted('/api/v1/audit/export', baseUrl, '/export')).to.equal('/api/v1/audit/export')
    expect(counted('/docs', '', '/docs')).to.equal('/docs')
  })

  it('holds nothing that the client wrote, and is none where none was found', () => {
    expect(counted('/ada/tenant', '', '/:object')).to.equal('/:object')
    expect(counted('/ada', '', '/ada/:key/:more')).to.equal('/ada/:key/:more')
    expect(counted('/api/v1/ada', '')).to.equal(undefined)
  })
})
