/** Forms of websites, over HTTP: as browsers send them, as bots do. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from '../system/support/eventually.ts'
import { testService, type Answer, type Data, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

describe('a form on a website', () => {
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let form: Data
  before(async () => {
    service = await testService({ clock })
    form = (await service.post('integrations', { Definition: 'website-form' })).data
    expect((await challenge()).status).to.equal(404)
    form = (await service.post(`integrations/${form.Id}/start`)).data
  })
  after(() => service.discard())

  const nobody = { Authorization: '', Referer: 'https://www.example.com/flats' }
  const challenge = () => service.get(`forms/${form.Id}/challenge`, nobody)
  const answerOf = (text: string, bits: number): string => {
    for (let answer = 0; ; answer++) {
      const digest = createHash('sha256').update(`${text}.${answer}`).digest()
      if (digest.readUInt32BE(0) >>> (32 - bits) === 0) return String(answer)
    }
  }
  const proof = async (): Promise<Record<string, string>> => {
    const { data } = await challenge()
    const text = data['Challenge'] as string
    return { 'daybook-challenge': text, 'daybook-answer': answerOf(text, data['Bits'] as number) }
  }
  const send = (fields: Record<string, string>): Promise<Answer> =>
    service.send('POST', `forms/${form.Id}`, {
      body: new URLSearchParams(fields).toString(),
      headers: { ...nobody, 'Content-Type': 'application/x-www-form-urlencoded' },
    })
  const leads = async (name: string) => (await service.list('lead', { filter: `Name eq '${name}'` })).list
  const inbox = async (state: string) =>
    (await service.get(`integrations/${form.Id}/inbox?state=${state}`)).list
  const lead = (name: string) =>
    eventually(name, async () => {
      const [found] = await leads(name)
      expect(found).not.to.equal(undefined)
      return found!
    })

  it('becomes a lead, with the consent as it was given', async () => {
    const fields = { name: 'Zoë O’Brien', email: ' Zoe@Example.com', message: 'Two rooms?', consent: 'on' }
    const given = { ...fields, 'consent-text': 'You may write to me.', ...(await proof()) }
    clock.pass(5_000)
    const answer = await send(given)
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.match(/^text\/html/)
    expect(await lead('Zoë O’Brien')).to.deep.include({
      Email: 'zoe@example.com',
      Message: 'Two rooms?',
      Source: 'Website',
      LandingPage: 'https://www.example.com/flats',
      ConsentToMarketing: true,
      ConsentText: 'You may write to me.',
      ConsentAt: '2030-01-01T12:00:05Z',
    })
    // The page is loaded again.
    expect((await send(given)).text).to.equal(answer.text)
    await service.patch(`integrations/${form.Id}`, {
      Settings: { thanksUrl: 'https://www.example.com/thanks' },
    })
    expect(await leads('Zoë O’Brien')).to.have.length(1)
  })

  it('without consent says so', async () => {
    const given = { name: 'Ann', email: 'ann@example.com', ...(await proof()) }
    clock.pass(5_000)
    await send(given)
    expect(await lead('Ann')).to.include({ ConsentToMarketing: false, ConsentAt: null })
  })

  const odd: readonly [what: string, reason: RegExp, change: (proved: Fields) => Record<string, string>][] = [
    ['without the proof', /no proof of work/, () => ({})],
    [
      'with a wrong proof',
      /proof of work is wrong/,
      (proved) => ({ ...texts(proved), 'daybook-answer': 'x' }),
    ],
    [
      'with a challenge of another',
      /not ours/,
      (proved) => ({ ...texts(proved), 'daybook-challenge': `1.${'a'.repeat(12)}.${'b'.repeat(22)}` }),
    ],
    [
      'with the field that people do not see',
      /people do not see/,
      (proved) => ({ ...texts(proved), website: 'https://spam.example' }),
    ],
  ]
  const texts = (fields: Fields) => fields as Record<string, string>
  for (const [what, reason, change] of odd)
    it(`${what} is set aside, not lost, and answered alike`, async () => {
      const proved = await proof()
      clock.pass(5_000)
      const good = await send({ name: `Good ${what}`, ...proved })
      const before = (await inbox('quarantined')).length
      const another = await proof()
      clock.pass(5_000)
      const bad = await send({ name: `Bad ${what}`, ...change(another) })
      expect([bad.status, bad.text]).to.deep.equal([good.status, good.text])
      const set = await inbox('quarantined')
      expect(set).to.have.length(before + 1)
      expect(set[0]!['Reason']).to.match(reason)
      // A person finds that it was one.
      await service.post(`integrations/${form.Id}/inbox/${set[0]!.Id}/retry`)
      await lead(`Bad ${what}`)
    })

  it('whose fields have other names is set aside, and refused when it is tried again: nobody is known by it', async () => {
    const refused = 'none of name, email, phone, company, message is filled in'
    for (const [fields, reason] of [
      [
        { nmae: 'Ann', emial: 'ann@example.com' },
        `${refused}; the form does not know nmae, emial: did you mean name, email?`,
      ],
      [{ name: ' ', colour: 'red' }, `${refused}; the form does not know colour`],
      [{ campaign: 'spring' }, refused],
    ] as const) {
      const proved = await proof()
      clock.pass(5_000)
      const given = { consent: 'on', 'consent-text': 'You may write to me.', ...fields, ...proved }
      expect((await send(given)).status).to.be.below(400)
      const [aside] = await inbox('quarantined')
      expect(aside).to.include({ Reason: reason })
      await service.post(`integrations/${form.Id}/inbox/${aside!.Id}/retry`)
      await eventually('its refusal', async () =>
        expect((await inbox('rejected')).find(({ Id }) => Id === aside!.Id)).to.include({ Reason: reason }),
      )
    }
    expect(await leads('Unknown')).to.deep.equal([])
  })

  it('sent again with its proof is one lead; with other text it is set aside, and not lost', async () => {
    const proved = await proof()
    clock.pass(5_000)
    const before = (await inbox('quarantined')).length
    for (const name of ['Once', 'Once', 'Other', 'Other', 'Once'])
      expect((await send({ name, ...proved })).status).to.be.below(400)
    await lead('Once')
    const set = (await inbox('quarantined')).slice(0, -before || undefined)
    expect(set.map(({ Reason }) => Reason)).to.deep.equal([
      'its proof of work was used already, by a form with other text',
    ])
    await service.post(`integrations/${form.Id}/inbox/${set[0]!.Id}/retry`)
    await lead('Other')
    expect(await leads('Once')).to.have.length(1)
  })

  it('sent faster than anybody can is set aside', async () => {
    await send({ name: 'Fast', ...(await proof()) })
    expect((await inbox('quarantined'))[0]!['Reason']).to.match(/faster than anybody/)
  })

  it('goes on to the page of thanks; as JSON it is answered with JSON', async () => {
    const html = await send({ name: 'Html', ...(await proof()) })
    expect([html.status, html.headers.get('location')]).to.deep.equal([303, 'https://www.example.com/thanks'])
    const proved = await proof()
    const body = { name: 'Json', ...proved, 'daybook-answer': Number(proved['daybook-answer']) }
    clock.pass(5_000)
    const answer = await service.send('POST', `forms/${form.Id}`, { body, headers: { Authorization: '' } })
    expect([answer.status, answer.data]).to.deep.equal([200, {}])
    await lead('Json')
  })

  it('is not taken where signed messages are, and a script answers its challenge', async () => {
    expect((await service.send('POST', `in/${form.Id}/form`, { body: { name: 'x' } })).status).to.equal(404)
    const script = await service.get(`forms/${form.Id}/form.js`, nobody)
    expect(script.headers.get('content-type')).to.match(/^text\/javascript/)
    expect(script.text).to.match(/const challenge = '[\w.-]+'/)
    expect((await service.get(`forms/integration-${'0'.repeat(26)}/challenge`, nobody)).status).to.equal(404)
  })
})
