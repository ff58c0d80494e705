/** Whatever values hold: where tags may stand they change no element, no attribute's name and no header. */
import { expect } from 'chai'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { mimeOf } from '../../src/notifications/sending/mime.ts'
import { render } from '../../src/notifications/templates/render.ts'

const BODY =
  '<p class="x" title="{{A}}">Dear {{A}}, <b>{{B}}</b></p><a href="https://example.com/c/{{A}}?q={{B}}">{{B}}</a>' +
  "<td title='{{B}}'>{{A}}{{B}}</td>"

function shapeOf(html: string): string[] {
  const shape: string[] = []
  const parser = new Parser({
    onopentag: (name, attributes) => void shape.push(`${name} ${Object.keys(attributes).join(' ')}`),
    oncomment: () => void shape.push('comment'),
    onprocessinginstruction: () => void shape.push('instruction'),
  })
  parser.end(html)
  return shape
}

const naughty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    'javascript:alert(1)',
    '{{B}}{{{B}}}{{#each}}',
    '../../../evil" x="',
    '//evil.example/',
    '&lt;script&gt;',
    'a\r\nBcc: evil@example.com',
    'a\u2028Bcc: evil@example.com',
    '\u202egnirts',
    '</p></body></html><iframe src=//evil>',
  ),
)

describe('rendering', () => {
  const rendered = (A: string, B: string) =>
    render(
      { subject: 'About {{A}} and {{B}}', body: BODY },
      new Map([
        ['A', A],
        ['B', B],
      ]),
    )
  const plain = shapeOf(rendered('a', 'b').body)

  it('lets no value become an element, an attribute or another host', () =>
    fc.assert(
      fc.property(naughty, naughty, (A, B) => {
        const { body, subject } = rendered(A, B)
        const shape = shapeOf(body)
        // An attribute without a value is left away.
        expect(shape.map((one) => one.split(' ')[0])).to.deep.equal(plain.map((one) => one.split(' ')[0]))
        for (const [index, one] of shape.entries())
          expect(plain[index]!.split(' ')).to.include.members(one.trim().split(' '))
        const href = /href="([^"]*)"/.exec(body)![1]!.replaceAll('&amp;', '&')
        expect(new URL(href).host).to.equal('example.com')
        expect(subject).to.not.match(/[\r\n\u2028]/)
      }),
    ))

  it('lets no value add a header or a recipient', () =>
    fc.assert(
      fc.asyncProperty(naughty, async (A) => {
        const bytes = await mimeOf({
          from: 'Daybook <post@example.com>',
          to: 'a@example.com',
          messageId: '<1@example.com>',
          date: new Date(0),
          locale: 'en',
          rendered: rendered(A, A),
        })
        const head = bytes
          .toString()
          .split('\r\n\r\n')[0]!
          .replaceAll(/\r\n[ \t]/g, ' ')
        const names = head.split('\r\n').map((line) => line.split(':')[0]!.toLowerCase())
        expect(names).to.not.include('bcc').and.not.include('cc')
        expect(names.filter((name) => name === 'to')).to.have.length(1)
      }),
      { numRuns: 50 },
    ))
})
