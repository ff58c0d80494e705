/**
 * Mails whose records hold what attackers write, in a browser that runs scripts: none runs, nothing is asked of any host, no
 * dialog opens, and the mail has one recipient. Every place where a tag may stand has every text.
 */
import { expect } from 'chai'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'
import { mimeOf } from '../../../src/notifications/sending/mime.ts'
import { contextFaults } from '../../../src/notifications/templates/contexts.ts'
import { render } from '../../../src/notifications/templates/render.ts'
import { tagsIn } from '../../../src/notifications/templates/tags.ts'
import { chromium } from '../../engines/chromium/binary.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { seededRandom } from '../../support/random.ts'

const browserSuite = suiteOf(
  'hostile mails in a browser',
  chromium === undefined ? 'npm run engines:install installs Chromium' : undefined,
)

const RAN = 'window.ran=1'
const NAUGHTY = [
  `<script>${RAN}</script>`,
  `<img src=x onerror="${RAN}">`,
  `"><img src=x onerror=${RAN}>`,
  `' onmouseover='${RAN}' x='`,
  `" autofocus onfocus="${RAN}" tabindex="1" x="`,
  `<svg onload=${RAN}>`,
  `<svg><script>${RAN}</script></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RAN}&gt;">`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<details open ontoggle=${RAN}>`,
  `<noscript><p title="</noscript><img src=x onerror=${RAN}>">`,
  `<template><script>${RAN}</script></template>`,
  `</title><script>${RAN}</script>`,
  `--><script>${RAN}</script><!--`,
  `javascript:${RAN}`,
  ` javascript&colon;${RAN}`,
  `data:text/html,<script>${RAN}</script>`,
  `//evil.example/x.js`,
  `https://evil.example/pixel.png`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  `<style>@import 'https://evil.example/x.css'</style>`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/">`,
  `<base href=https://evil.example/>`,
  `<form action=https://evil.example/><input autofocus onfocus=${RAN}></form>`,
  `{{A}}{{{A}}}{{content}}<b>`,
  `a\r\nBcc: evil@example.com\r\n\r\n<script>${RAN}</script>`,
  `a\u2028Bcc: evil@example.com`,
  `\u202e<tpircs>`,
  `&lt;script&gt;${RAN}&lt;/script&gt;`,
  `+ADw-script+AD4-${RAN}+ADw-/script+AD4-`,
  `\u0000<scr\u0000ipt>${RAN}</scr\u0000ipt>`,
  `\ud800"><script>${RAN}</script>`,
  `${'<div>'.repeat(600)}<img src=x onerror=${RAN}>`,
]

const SUBJECT = 'About {{A}}'
const BODY =
  '<h1>{{A}}</h1><p class="x" title="{{A}}" lang=\'{{B}}\'>Dear {{A}}{{B}}</p><a href="https://example.com/c/{{A}}?q={{B}}">{{B}}</a>' +
  '<a href="{{U}}">x</a><table><tr><td width="{{A}}">{{A}}</td></tr></table><img src="cid:logo" alt="{{A}}">'
const LAYOUT =
  '<html><head><title>x</title></head><body><div style="color: navy">{{content}}</div></body></html>'

browserSuite('hostile mails', function () {
  this.timeout(120_000)
  let browser: Browser
  let page: Page
  const asked: string[] = []
  const dialogs: string[] = []
  before(async () => {
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
    browser = await playwright.launch({ executablePath: chromium!, args })
    page = await browser.newPage()
    await page.route('**/*', (route) => {
      asked.push(route.request().url())
      return route.abort()
    })
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
  })
  after(() => browser?.close())

  const isUrl = (path: string) => path === 'U'
  /** @param A @param B values of two fields of any text; of fields of type url only URLs are stored */
  const mailOf = async (A: string, B: string) => {
    const values = new Map(Object.entries({ A, B, U: 'https://example.com/it' }))
    const rendered = render({ subject: SUBJECT, body: BODY, layout: LAYOUT }, values)
    const bytes = await mimeOf({
      from: 'Harbour <post@example.com>',
      to: 'zoe@example.com',
      messageId: '<1@example.com>',
      date: new Date(0),
      locale: 'en',
      rendered,
    })
    return { ...rendered, bytes: bytes.toString() }
  }
  const look = async (html: string, said: string) => {
    await page.setContent(html, { waitUntil: 'load' })
    // What waits for a focus, a pointer or a click gets it.
    await page.evaluate(
      "for (const one of document.querySelectorAll('*')) for (const name of ['mouseover', 'focus', 'toggle', 'error', 'load']) one.dispatchEvent(new Event(name))",
    )
    expect(await page.evaluate('window.ran'), said).to.equal(undefined)
    expect(
      await page.evaluate(
        "document.querySelectorAll('script,iframe,object,embed,base,link,meta,form,svg,style').length",
      ),
      said,
    ).to.equal(0)
    expect([...asked.filter((url) => !url.startsWith('cid:')), ...dialogs], said).to.deep.equal([])
  }

  it('are tried in a browser that would run what they hold', async () => {
    await page.setContent(`<img src="https://evil.example/x" onerror="${RAN}">`)
    await page.waitForFunction('window.ran === 1')
    // The window stays the same.
    await page.evaluate('delete window.ran')
    expect(asked.splice(0)).to.deep.equal(['https://evil.example/x'])
  })

  it('may have tags in every one of these places', () =>
    expect(contextFaults(BODY, tagsIn(BODY).tags, isUrl)).to.deep.equal([]))

  for (const text of NAUGHTY)
    it(`run nothing and ask nothing: ${JSON.stringify(text.slice(0, 40))}`, async () => {
      for (const [A, B] of [
        [text, 'b'],
        ['a', text],
        [text, text],
      ] as const) {
        const { body, subject, bytes } = await mailOf(A, B)
        await look(body, body)
        expect(subject).to.not.match(/[\r\n\u2028]/)
        onlyTo('zoe@example.com', bytes)
      }
    })

  it('run nothing however the texts are cut and joined', async () => {
    const { next } = seededRandom(7)
    const some = () => NAUGHTY[Math.floor(next() * NAUGHTY.length)]!
    for (let times = 0; times < 150; times++) {
      const [one, other] = [some(), some()]
      const [A, B] = [
        one.slice(Math.floor(next() * 20)) + other,
        other.slice(0, Math.floor(next() * 40)) + one,
      ]
      const { body, bytes } = await mailOf(A, B)
      await look(body, JSON.stringify([A, B]))
      onlyTo('zoe@example.com', bytes)
    }
  })
})

function onlyTo(address: string, mail: string): void {
  const head = mail.slice(0, mail.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
  const headers = head.split('\r\n').map((line) => line.toLowerCase())
  expect(headers.filter((line) => /^(to|cc|bcc|resent-\w+):/.test(line))).to.deep.equal([`to: ${address}`])
}
