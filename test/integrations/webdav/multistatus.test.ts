/** Answers of WebDAV servers, good ones and those made to harm. */
import { expect } from 'chai'
import fc from 'fast-check'
import { xmlBody } from '../../../src/integrations/calls/xml-body.ts'
import { Unmappable } from '../../../src/integrations/mapping/unmappable.ts'
import { readMultistatus, UnreadableAnswer } from '../../../src/integrations/webdav/multistatus.ts'

const multistatus = (inside: string) =>
  `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${inside}</d:multistatus>`
const propstat = (props: string, status = 200) =>
  `<d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 ${status} It is so</d:status></d:propstat>`
const response = (href: string, inside: string) =>
  `<d:response><d:href>${href}</d:href>${inside}</d:response>`

describe('an answer of a WebDAV server', () => {
  it('says of each file what the server knows, whatever prefixes it writes', () => {
    const text = `<ns0:multistatus xmlns:ns0="DAV:" xmlns:o="http://owncloud.org/ns">
      <ns0:response><ns0:href>/a/</ns0:href><ns0:propstat><ns0:prop><ns0:resourcetype><ns0:collection/></ns0:resourcetype>
        </ns0:prop><ns0:status>HTTP/1.1 200 OK</ns0:status></ns0:propstat></ns0:response>
      <response xmlns="DAV:"><href> /a/b%26.txt </href><propstat><prop><resourcetype/><getetag>"e&amp;1"</getetag>
        <getcontentlength>12</getcontentlength><getcontenttype><![CDATA[text/plain]]></getcontenttype>
        <o:fileid>77</o:fileid><getlastmodified>Mon, 23 Nov 2026 08:18:21 GMT</getlastmodified></prop>
        <status>HTTP/1.1 200 OK</status></propstat></response></ns0:multistatus>`
    expect(readMultistatus(text)).to.deep.equal([
      { href: '/a/', isFolder: true, status: 200 },
      {
        href: '/a/b%26.txt',
        isFolder: false,
        etag: '"e&1"',
        size: 12,
        type: 'text/plain',
        fileId: '77',
        modified: 'Mon, 23 Nov 2026 08:18:21 GMT',
        status: 200,
      },
    ])
  })

  it('is believed only where a property was found, and the worst status holds', () => {
    const text = multistatus(
      response(
        '/a',
        propstat('<d:getetag>x</d:getetag>') + propstat('<d:getcontentlength>1</d:getcontentlength>', 404),
      ),
    )
    expect(readMultistatus(text)).to.deep.equal([{ href: '/a', isFolder: false, etag: 'x', status: 404 }])
    const bad = multistatus(response('/a', '<d:status>HTTP/1.1 423 Locked</d:status>'))
    expect(readMultistatus(bad)[0]).to.include({ status: 423 })
  })

  const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${'bcdefghij'
    .split('')
    .map((name, at) => `<!ENTITY ${name} "${`&${'abcdefghij'[at]};`.repeat(10)}">`)
    .join('')}]>${multistatus('&j;')}`
  const hostile: readonly (readonly [string, string, RegExp])[] = [
    ['a billion laughs', laughs, /DOCTYPE/],
    [
      'a file of the server',
      `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>${multistatus('&x;')}`,
      /DOCTYPE/,
    ],
    ['an entity that nobody knows', multistatus('&x;'), /entity/],
    ['no end', '<d:multistatus xmlns:d="DAV:">', /unclosed|end/],
    ['a web page', '<html><body>Log in</body></html>', /not a multistatus/],
    ['nothing', '', /document|root|early/],
    ['no namespace', '<multistatus/>', /not a multistatus/],
    ['endless depth', multistatus('<a>'.repeat(100_000)), /nested more than 30/],
    ['too many files', multistatus(response('/a', propstat('')).repeat(20_001)), /more than 20000 files/],
  ]
  for (const [what, text, why] of hostile)
    it(`with ${what} is refused`, () => {
      const started = performance.now()
      expect(() => readMultistatus(text)).to.throw(UnreadableAnswer, why)
      expect(performance.now() - started).to.be.below(5_000)
    })

  it('is read or refused, whatever its bytes are', () => {
    const good = multistatus(response('/a', propstat('<d:getetag>x</d:getetag>')))
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(20), fc.string(), (at, cut, inserted) => {
        try {
          readMultistatus(good.slice(0, at) + inserted + good.slice(at + cut))
        } catch (error) {
          expect(error).to.be.instanceOf(UnreadableAnswer)
        }
      }),
    )
  })
})

describe('a body in XML', () => {
  it('has members as elements, and what begins with @ as attributes', () => {
    const made = { 'D:set': { '@xmlns:D': 'DAV:', 'c:Name': 'A & <B>', 'c:Part': ['1', 2], 'c:None': null } }
    expect(xmlBody(made)).to.equal(
      '<?xml version="1.0" encoding="utf-8"?><D:set xmlns:D="DAV:"><c:Name>A &amp; &lt;B&gt;</c:Name>' +
        '<c:Part>1</c:Part><c:Part>2</c:Part><c:None></c:None></D:set>',
    )
  })

  it('is one element, by names of XML', () => {
    for (const wrong of [{}, { a: 1, b: 2 }, 'a', { a: [1, 2] }, { 'a><b': 1 }, { a: { '@x': {} } }])
      expect(() => xmlBody(wrong), JSON.stringify(wrong)).to.throw(Unmappable)
  })

  it('says any text so that it is read again as it was, but for what XML cannot say', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const made = xmlBody({
          'D:multistatus': { '@xmlns:D': 'DAV:', '@note': text, 'D:response': { 'D:href': `/${text}` } },
        })

        const kept = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
        expect(readMultistatus(made)[0]!.href).to.equal(`/${kept}`.replaceAll(/\r\n?/g, '\n').trim())
      }),
    )
  })
})
