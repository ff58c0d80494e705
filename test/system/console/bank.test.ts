/** Bank accounts in the console: statements and gaps, and lines matched, left alone and taken back, by keyboard too. */
import { expect } from 'chai'
import { camt, closingOf, mt940, type MadeLine, type MadeStatement } from '../../imports/bank/statements.ts'
import { imported } from '../../imports/import-support.ts'
import { ADMIN, consoleSuite, inspect, makePerson, openConsole, type Console, type Visit } from './browser.ts'

const IBAN = 'NL91ABNA0417164300'

consoleSuite('the console: bank', function () {
  this.timeout(60_000)
  let console: Console
  let account: string

  before(async () => {
    console = await openConsole()
    const { service } = console
    await makePerson(service, 'Vic', ['viewer'])
    account = (await service.create('bankaccount', { Name: 'Rent', Iban: IBAN })).Id
    const tenant = (await service.create('tenant', { Name: 'Ann Lee' })).Id
    const invoice = (amount: number) =>
      service.create('invoice', {
        Tenant: tenant,
        Status: 'Issued',
        DueDate: '2029-04-01',
        TotalAmount: { Amount: amount, Currency: 'EUR' },
      })
    for (const amount of [950, 950, 40, 77]) await invoice(amount)
    const line = (day: string, amount: string, text: string, name?: string): MadeLine => ({
      day,
      amount,
      text,
      ...(name && { name }),
    })
    const first: MadeStatement = {
      account: IBAN,
      number: '1',
      opening: '100.00',
      lines: [
        line('2029-04-01', '950.00', 'Rent April', 'Ann Lee'),
        line('2029-04-02', '-3.50', 'Account fee'),
        line('2029-04-03', '40.00', 'Key &lt;b&gt;lost&lt;/b&gt;', 'Ann Lee'),
      ],
    }
    const third: MadeStatement = {
      account: IBAN,
      number: '3',
      opening: '2000.00',
      lines: [line('2029-04-04', '77.00', 'Cellar', 'A. N. Other')],
    }
    expect(closingOf(first)).to.equal('1086.50')
    const sent = await imported(service, 'bankstatement/import?commit=true', camt([first, third]), {
      'Content-Type': 'application/xml',
    })
    expect(sent['State'], JSON.stringify(sent)).to.equal('Completed')
  })
  after(() => console?.discard())

  const statuses = async () => {
    const { list } = await console.service.list('banktransaction', { sort: 'BookingDate,Amount' })
    return list.map(({ Status }) => Status)
  }
  const open = async (visit: Visit) => {
    await visit.open('/bank')
    await visit.page.getByRole('link', { name: 'Rent' }).click()
    await visit.page.getByRole('listbox', { name: 'Lines' }).waitFor()
  }
  const line = ({ page }: Visit) => page.getByRole('region', { name: 'The line' })

  for (const size of ['wide', 'narrow'] as const)
    it(`shows accounts, and where a statement is missing (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      await visit.open('/bank')
      await page.getByText('2,077.00 EUR').waitFor()
      await inspect(visit, `bank-${size}`)
      await page.getByRole('row', { name: /Rent/ }).getByRole('link', { name: '1' }).click()
      await page.getByText(/closes at 1,086.50 EUR, this one opens at 2,000.00 EUR/).waitFor()
      await page.getByText('4 Apr 2029').first().waitFor()
      await inspect(visit, `bank-statements-${size}`)
      expect(visit.faults()).to.deep.equal([])
      await visit.close()
    })

  it('matches one line after the other by keyboard alone, and leaves one alone with a reason', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await open(visit)
    await page.getByRole('tab', { name: 'Lines (4 to decide on)' }).waitFor()
    const list = page.getByRole('listbox', { name: 'Lines' })
    await list.focus()
    await page.keyboard.press('End')
    await line(visit).getByRole('heading', { name: 'A. N. Other' }).waitFor()
    await line(visit).getByText('Nothing that is owed fits this line.').waitFor()
    await page.keyboard.press('Home')
    await line(visit).getByText('Rent April').waitFor()
    await line(visit)
      .getByRole('group', { name: 'Candidate 2' })
      .getByText(/Ann Lee · due 1 Apr 2029/)
      .waitFor()
    await inspect(visit, 'bank-lines-wide')
    await page.keyboard.press('Enter')
    const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')
    for (let tabs = 0; tabs < 10 && (await focused()) !== 'Match: Candidate 2'; tabs++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Lines (3 to decide on)' }).waitFor()
    // The next one is there, and the list has the keyboard.
    await line(visit).getByText('Account fee').waitFor()
    expect(await focused()).to.equal('Lines')
    await line(visit).getByRole('button', { name: 'Leave it alone …' }).focus()
    await page.keyboard.press('Enter')
    const reason = page.getByRole('combobox', { name: 'Reason' })
    await reason.waitFor()
    await page.locator('input:focus').waitFor()
    await inspect(visit, 'bank-ignore')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await reason.inputValue()).to.equal('A fee of the bank')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Lines (2 to decide on)' }).waitFor()
    await line(visit).getByText('Key <b>lost</b>').waitFor()
    expect(await statuses()).to.deep.equal(['Matched', 'Ignored', 'Proposed', 'Unmatched'])
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('keeps the reason, takes a match back, and matches by choice (narrow)', async () => {
    const visit = await console.visitAs(ADMIN, 'narrow')
    const { page } = visit
    await visit.open(`/bank/${account}?state=Ignored`)
    await page.getByRole('option', { name: /Account fee/ }).click()
    await line(visit).getByText('Decided by a person').waitFor()
    await line(visit).getByRole('link', { name: 'Record and history' }).click()
    await page.getByText('“A fee of the bank”').waitFor()
    await visit.open(`/bank/${account}?state=Matched`)
    await page.getByRole('option', { name: /Ann Lee/ }).click()
    await line(visit)
      .getByText(/Invoice INV/)
      .waitFor()
    await inspect(visit, 'bank-matched-narrow')
    await line(visit).getByRole('button', { name: 'Take it back' }).click()
    await page.getByLabel('Reason').fill('the other month')
    await line(visit).getByRole('button', { name: 'Take it back' }).click()
    await page.getByRole('tab', { name: 'Lines (3 to decide on)' }).waitFor()
    expect((await statuses())[0]).to.equal('Unmatched')
    await visit.open(`/bank/${account}`)
    await page.getByRole('option', { name: /A. N. Other/ }).click()
    await line(visit).getByRole('button', { name: 'Choose something else …' }).click()
    const { list } = await console.service.list('invoice', { filter: 'TotalAmount/Amount eq 77' })
    const number = list[0]!['InvoiceNumber'] as string
    await page.getByRole('combobox', { name: 'Invoice' }).fill(number)
    await page.getByRole('option', { name: number }).click()
    await page.getByLabel('Amount (EUR)').fill('70')
    await inspect(visit, 'bank-choose-narrow')
    await line(visit).getByRole('button', { name: 'Match', exact: true }).click()
    await page.getByRole('tab', { name: 'Lines (2 to decide on)' }).waitFor()
    expect((await statuses()).at(-1)).to.equal('PartlyMatched')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('imports a statement, and asks whose account it is of', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const days: MadeStatement = {
      account: '37040044/0532013000',
      number: '1',
      opening: '0.00',
      lines: [{ day: '2029-05-02', amount: '12.00', text: 'Bicycle' }],
    }
    await visit.open('/bank')
    await page.getByRole('link', { name: 'Import statements' }).click()
    const dialog = page.getByRole('dialog')
    await inspect(visit, 'bank-upload')
    const buffer = Buffer.from(mt940([days]))
    await dialog.locator('input[type=file]').setInputFiles({ name: 'days.sta', mimeType: '', buffer })
    const asked = page.getByRole('combobox', { name: '37040044/0532013000' })
    await asked.waitFor()
    await inspect(visit, 'bank-account-asked')
    await asked.fill('Rent')
    await page.getByRole('option', { name: 'Rent' }).click()
    await page.getByRole('button', { name: 'Read on' }).click()
    await page.getByRole('button', { name: 'Commit' }).click()
    await dialog.getByRole('button', { name: 'Commit' }).click()
    await page.getByText('completed', { exact: true }).waitFor()
    await inspect(visit, 'bank-imported')
    const { list } = await console.service.list('banktransaction', { search: 'Bicycle' })
    expect(list).to.have.length(1)
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('lets a viewer look and decide on nothing', async () => {
    const visit = await console.visitAs({ email: 'vic@example.com', password: ADMIN.password })
    const { page } = visit
    await open(visit)
    await line(visit).getByText('Matching takes the rights').waitFor()
    for (const name of ['Leave it alone …', 'Choose something else …', 'Match open lines'])
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0)
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })
})
