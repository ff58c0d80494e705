/** One attempt to send a message: what is stored before and after, and what a process leaves behind that ended between. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { expect } from 'chai'
import { mailFolder } from '../../src/adapters/mail/folder.ts'
import type { Fields } from '../../src/domain/json.ts'
import { messageEvents, messageKey } from '../../src/notifications/sending/message-events.ts'
import { mailSender } from '../../src/notifications/sending/send-mail.ts'
import { suppressions } from '../../src/notifications/sending/suppressions.ts'
import { MailRefused, type Mailer } from '../../src/ports/sending/mailer.ts'
import { newFolder } from '../support/service.ts'
import { memoryFiles } from '../support/memory-files.ts'
import { caller, COMPANY, definition, definitions, key, writeSide } from '../support/write-side.ts'

describe('sending a message', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true }))

  const company = key('company', 1)
  const messageId = /^Message-ID: (.*)$/m

  async function world({
    mailer = mailFolder(folder),
    allow = [],
  }: { readonly mailer?: Pick<Mailer, 'send'>; readonly allow?: readonly string[] } = {}) {
    const side = writeSide()
    const files = memoryFiles()
    const messages = messageEvents({ ...side, newCommand: side.newCommand })
    const job = await side.write.create(caller({ company }), {
      definition: definition('job'),
      body: { Title: 'Roof & gutter', Until: '2026-05-01' },
    })
    const template = key('template', 1)
    await messages.add({ company, key: template, version: 0 }, 'template.created', {
      Subject: 'Job {{Title}}',
      Body: '<p>{{Title}} until {{Until}}</p>',
      Locale: 'en',
    })
    const send = mailSender({
      definitions,
      events: side.events,
      messages,
      mailer,
      files,
      suppressions: suppressions(messages),
      clock: side.clock,
      catchUpDays: 7,
      from: 'Daybook <post@example.com>',
      allow,
      waitFor: () => 0,
      unsubscribeUrl: () => undefined,
    })
    const name = {
      company,
      trigger: 't',
      record: job.key,
      occurrence: 'o',
      recipient: 'a@example.com',
      at: 1,
    }
    const message = messageKey(name)
    const due = async (more: Fields = {}) => {
      const data = {
        Trigger: 't',
        Record: job.key,
        Recipient: 'a@example.com',
        Template: template,
        TemplateVersion: 1,
      }
      const position = await side.events.head()
      await messages.add({ company, key: message, version: 0 }, 'notification.created', {
        ...data,
        Position: position,
        State: 'due',
        ...more,
      })
    }
    const state = async () => (await messages.load(company, message)).fields
    return {
      ...side,
      files,
      messages,
      send: (isLast = false) => send(company, { stream: message, isLast }),
      message,
      due,
      state,
      job,
    }
  }
  const mails = () => readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'))

  it('stores what it is about to do, then what came of it, and sends once', async () => {
    const { due, send, state, message, write, job, events } = await world()
    await due()
    // Later changes do not count.
    await write.update(caller({ company }), {
      definition: definition('job'),
      key: job.key,
      body: { Title: 'x' },
      writing: 'merge',
    })
    expect((await send()).isSent).to.equal(true)
    expect((await send()).isOver).to.equal(true)
    expect(mails()).to.have.length(1)
    expect(mails()[0])
      .to.contain('Subject: Job Roof & gutter')
      .and.contain('Roof &amp; gutter until May 1, 2026')
    const types = (await events.read(company, message)).map(({ type }) => type)
    expect(types).to.deep.equal(['notification.created', 'notification.attempting', 'notification.sent'])
    expect((await state())['MessageId']).to.equal(messageId.exec(mails()[0]!)![1])
  })

  for (const [ifUnsure, left, sent] of [
    ['resend', 'sent', 2],
    ['hold', 'uncertain', 1],
  ] as const)
    it(`of a process that ended between: ${ifUnsure} leaves it ${left}`, async () => {
      const taken: Buffer[] = []
      let dies = true
      const mailer: Mailer = {
        // The server has taken the mail; the process ends before it can store that.
        send: ({ bytes }) => {
          taken.push(Buffer.from(bytes))
          return dies ? new Promise<string>(() => {}) : Promise.resolve('250 ok')
        },
        forget: async () => {},
        close: () => {},
      }
      const { due, send, state } = await world({ mailer })
      await due({ IfUnsure: ifUnsure })
      void send()
      while (taken.length === 0) await new Promise(setImmediate)
      dies = false
      expect((await state())['State']).to.equal('attempting')
      await send()
      expect((await state())['State']).to.equal(left)
      expect(taken).to.have.length(sent)
      // The same bytes, and so the same Message-ID.
      expect(new Set(taken.map(String)).size).to.equal(1)
    })

  it('tries again what was refused for now, and gives up what never will be taken', async () => {
    const answers = [
      new MailRefused('451 later', { isFinal: false, isAddress: false }),
      new Error('ECONNRESET'),
    ]
    const mailer: Mailer = {
      send: () =>
        Promise.reject(answers.shift() ?? new MailRefused('554 no', { isFinal: true, isAddress: false })),
      forget: async () => {},
      close: () => {},
    }
    const { due, send, state } = await world({ mailer })
    await due()
    expect(await send()).to.include({ isOver: false, detail: '451 later' })
    expect(await send()).to.include({ isOver: false, detail: 'ECONNRESET' })
    expect(await send()).to.include({ isOver: true, isSent: false })
    expect(await state()).to.include({ State: 'failed', Reason: '554 no', Attempts: 3 })
  })

  for (const [ifUnsure, isOver, left] of [
    ['resend', false, 'due'],
    ['hold', true, 'uncertain'],
  ] as const)
    it(`does not know what a connection that was cut off has done: ${ifUnsure} leaves it ${left}`, async () => {
      const mailer: Mailer = {
        send: () => Promise.reject(new Error('the connection was closed after DATA')),
        forget: async () => {},
        close: () => {},
      }
      const { due, send, state } = await world({ mailer })
      await due({ IfUnsure: ifUnsure })
      expect(await send()).to.include({ isOver, isSent: false })
      expect((await state())['State']).to.equal(left)
    })

  it('has failed where its last attempt did, and can be sent once more by hand', async () => {
    const refused = new MailRefused('451 later', { isFinal: false, isAddress: false })
    const mailer = { send: () => Promise.reject(refused) }
    const { due, send, state } = await world({ mailer })
    await due()
    expect(await send()).to.include({ isOver: false })
    expect((await state())['State']).to.equal('due')
    expect(await send(true)).to.include({ isOver: true, isSent: false })
    expect(await state()).to.include({ State: 'failed', Reason: 'given up: 451 later', Attempts: 2 })
  })

  it('tries again what was refused for now, also where nothing may be sent twice', async () => {
    const refused = new MailRefused('451 later', { isFinal: false, isAddress: false })
    const mailer = { send: () => Promise.reject(refused) }
    const { due, send, state } = await world({ mailer })
    await due({ IfUnsure: 'hold' })
    expect(await send()).to.include({ isOver: false })
    expect((await state())['State']).to.equal('due')
  })

  it('gives up what cannot be written, so that others need not wait for it', async () => {
    const { due, send, state } = await world()
    await due({ Record: 'unheardof-01m82es638esqa2cbyzww8ddxb' })
    expect(await send()).to.include({ isOver: true, isSent: false })
    expect(await state()).to.deep.include({ State: 'failed' })
    expect(mails()).to.deep.equal([])
  })

  it('withholds what MAIL_ALLOW does not name, and skips what has been due for too long', async () => {
    const withheld = await world({ allow: ['other@example.com'] })
    await withheld.due()
    await withheld.send()
    expect((await withheld.state())['State']).to.equal('withheld')
    const late = await world()
    await late.due()
    late.clock.pass(8 * 86_400_000)
    await late.send()
    expect((await late.state())['State']).to.equal('skipped')
    expect(mails()).to.deep.equal([])
    expect(COMPANY).to.not.equal(company)
  })
})
