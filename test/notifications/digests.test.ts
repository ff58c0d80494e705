/** Messages of a trigger with a digest: one mail for all of a window, at its end, whatever happens meanwhile. */
import { expect } from 'chai'
import { messageEvents } from '../../src/notifications/sending/message-events.ts'
import { gather } from '../../src/notifications/sending/gather.ts'
import { mailSender } from '../../src/notifications/sending/send-mail.ts'
import { suppressions } from '../../src/notifications/sending/suppressions.ts'
import { triggerSchema, windowOf } from '../../src/notifications/triggers.ts'
import type { Mailer } from '../../src/ports/sending/mailer.ts'
import { memoryFiles } from '../support/memory-files.ts'
import { caller, definition, definitions, key, manualClock, writeSide } from '../support/write-side.ts'

const company = key('company', 1)
const template = key('template', 1)
const trigger = triggerSchema.parse({
  trigger: 'job-made',
  area: 'workflow',
  object: 'job',
  on: { event: 'job.created' },
  to: [{ role: 'approver' }],
  digest: { window: '15m' },
})

async function world() {
  const clock = manualClock('2030-01-01T10:00:00.000Z')
  const side = writeSide({ clock })
  const messages = messageEvents({ ...side, newCommand: side.newCommand })
  const mails: string[] = []
  const mailer: Mailer = {
    send: async ({ bytes }) => {
      // Long lines are cut.
      mails.push(Buffer.from(bytes).toString().replaceAll('=\r\n', ''))
      return '250 taken'
    },
    forget: async () => {},
    close: () => {},
  }
  await messages.add({ company, key: template, version: 0 }, 'template.created', {
    Subject: 'Job {{Title}}',
    Body: '<p>{{Title}} waits</p>',
    Locale: 'en',
  })
  const send = mailSender({
    definitions,
    events: side.events,
    messages,
    mailer,
    files: memoryFiles(),
    suppressions: suppressions(messages),
    clock,
    catchUpDays: 7,
    from: 'post@example.com',
    allow: [],
    waitFor: () => 0,
    unsubscribeUrl: () => undefined,
  })
  /** What happened to a job, at this moment. */
  const happens = async (Title: string) => {
    const job = await side.write.create(caller({ company }), {
      definition: definition('job'),
      body: { Title },
    })
    const position = await side.events.head()
    const occurrence = `of ${Title}`
    const name = {
      company,
      trigger: trigger.trigger,
      record: job.key,
      occurrence,
      recipient: 'a@example.com',
      at: 1,
    }
    const data = {
      Trigger: trigger.trigger,
      Record: job.key,
      Occurrence: occurrence,
      Recipient: name.recipient,
      Template: template,
      TemplateVersion: 1,
      Position: position,
      State: 'due',
      IfUnsure: 'resend',
      Attempts: 0,
    }
    const since = clock.now()
    const again = () =>
      gather(
        { messages, events: side.events },
        { name, trigger, since, data, by: { causation: 'c', source: 's' } },
      )
    await again()
    return again
  }
  const all = () => {
    const stored = side.log.all().filter(({ type }) => type === 'notification.created')
    return {
      digests: stored.filter(({ data }) => data['Count'] !== undefined),
      members: stored.filter(({ data }) => data['Digest'] !== undefined),
    }
  }
  const sent = async () => {
    const answers = []
    for (const { stream } of all().digests) answers.push(await send(company, { stream, isLast: false }))
    return answers
  }
  return { clock, mails, happens, all, sent }
}

describe('a digest', () => {
  it('has a window of minutes or hours', () => {
    expect(windowOf(trigger)).to.equal(15 * 60_000)
    expect(windowOf({ ...trigger, digest: { window: '24h' } })).to.equal(86_400_000)
    for (const window of ['0m', '15', '15s', 'm', '99999h'])
      expect(triggerSchema.safeParse({ ...trigger, digest: { window } }).success, window).to.equal(false)
  })

  it('is one mail of all that came within the window, at its end', async () => {
    const { clock, mails, happens, all, sent } = await world()
    await happens('one')
    clock.pass(5 * 60_000)
    await happens('two')
    await happens('three <b>')
    expect(all().digests).to.have.length(1)
    expect(all().members.map(({ data }) => data['State'])).to.deep.equal(['gathered', 'gathered', 'gathered'])
    expect(await sent()).to.deep.include({
      isOver: false,
      isSent: false,
      isHeld: true,
      detail: 'a digest that gathers',
      againInMs: 30_000,
    })
    expect(mails).to.deep.equal([])
    clock.pass(10 * 60_000)
    expect((await sent())[0]).to.include({ isOver: true, isSent: true })
    expect(mails).to.have.length(1)
    expect(mails[0]).to.contain('Subject: Job one (+2)')
    expect(mails[0]).to.contain('<p>one waits</p><hr><p>two waits</p>')
    expect(mails[0]).to.contain('three &lt;b&gt; waits')
  })

  it('has each once, however often its cause is looked at', async () => {
    const { clock, mails, happens, all, sent } = await world()
    const again = await happens('one')
    await happens('two')
    await Promise.all([again(), again()])
    clock.pass(15 * 60_000)
    await sent()
    await again()
    expect([all().digests.length, all().members.length]).to.deep.equal([1, 2])
    await sent()
    expect(mails).to.have.length(1)
    expect(mails[0]).to.contain('(+1)')
  })

  it('does not grow once it is sent: what comes late is in another', async () => {
    const { clock, mails, happens, all, sent } = await world()
    await happens('one')
    clock.pass(15 * 60_000)
    await sent()
    clock.jump('2030-01-01T10:00:00.000Z')
    await happens('late')
    clock.pass(20 * 60_000)
    expect((await sent()).map(({ isSent }) => isSent)).to.deep.equal([true, true])
    expect(all().digests).to.have.length(2)
    expect(mails.map((mail) => /^Subject: (.*)$/m.exec(mail)![1]!.trim())).to.deep.equal([
      'Job one',
      'Job late',
    ])
  })

  it('holds fifty; more are in the next, also where all come at once', async () => {
    const { clock, mails, happens, sent } = await world()
    await Promise.all(Array.from({ length: 60 }, (_, n) => happens(`job ${n}`)))
    clock.pass(15 * 60_000)
    await sent()
    const waiting = mails.join('').match(/<p>job \d+ waits<\/p>/g)!
    expect(mails).to.have.length(2)
    expect(new Set(waiting).size).to.equal(60)
    expect(waiting).to.have.length(60)
  })
})
