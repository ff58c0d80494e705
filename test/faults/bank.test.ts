/**
 * Bank statements and kill -9: whatever the moment, each line of the file is there once, and a match is whole or not there at
 * all: its payment, its invoice and its line say the same.
 *
 * `BANK_KILLS` kills more often than a test has time for; `BANK_SEED` chooses other moments.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { camt, type MadeLine } from '../imports/bank/statements.ts'
import { settled } from '../imports/import-support.ts'
import { seededRandom } from '../support/random.ts'
import { client, type Client, type Data } from '../support/service.ts'
import { startService, withFolder, type ServiceProcess } from './ledger/service-process.ts'
import { rounds } from '../support/rounds.ts'

const LINES = rounds(200, 400)
const KILLS = Number(process.env['BANK_KILLS'] ?? rounds(2, 3))
const SEED = Number(process.env['BANK_SEED'] ?? 1)
const IBAN = 'NL91ABNA0417164300'
const XML = { 'Content-Type': 'application/xml' }
const euros = (Amount: number) => ({ Amount, Currency: 'EUR' })

/** Creditor references (ISO 11649) of numbers. */
const referenceOf = (number: number) =>
  `RF${String(98n - (BigInt(`${number}271500`) % 97n)).padStart(2, '0')}${number}`
const numbers = Array.from({ length: LINES }, (_, i) => 100_000 + i)

const statement = () =>
  camt([
    {
      account: IBAN,
      number: '1',
      opening: '0.00',
      lines: numbers.map((number, i): MadeLine => ({
        day: '2029-04-02',
        amount: `${100 + i}.00`,
        text: `rent ${i}`,
        reference: `B${number}`,
        structured: referenceOf(number),
      })),
    },
  ])

describe('bank statements and kill -9', function () {
  this.timeout(60_000 + KILLS * 60_000)
  const random = seededRandom(SEED)

  /** Kills the service in the midst of what is asked of it. */
  const killed = (run: (rounds: Rounds) => Promise<void>) =>
    withFolder(async (dataDir) => {
      let service: ServiceProcess = await startService({ dataDir })
      const api = client(() => service.url, service.token)
      const account = await api.create('bankaccount', { Name: 'Rent', Iban: IBAN })
      const tenant = await api.create('tenant', { Name: 'Ann Lee' })
      for (let from = 0; from < LINES; from += 100) {
        const Records = numbers.slice(from, from + 100).map((number, i) => ({
          Tenant: tenant.Id,
          Status: 'Issued',
          TotalAmount: euros(100 + from + i),
          PaymentReference: referenceOf(number),
        }))
        const made = await api.post('invoice/batch', { Records })
        expect(made.status, made.text).to.be.oneOf([200, 201])
      }
      await run({
        api,
        account,
        async kills(ask) {
          for (let kill = 0; kill < KILLS; kill++) {
            const asked = ask?.().catch(() => undefined)
            await delay(random.between(0, 500))
            await service.end('SIGKILL')
            await asked
            service = await startService({ dataDir })
          }
        },
      })
      await service.end('SIGTERM')
    })

  it(`has each of ${LINES} lines once, and its match whole`, () =>
    killed(async ({ api, account, kills }) => {
      const { data } = await api.post('bankstatement/import?commit=true', statement(), XML)
      await kills()
      expect((await settled(api, data.Id))['State']).to.equal('Completed')
      await api.post(`bankaccount/${account.Id}/rematch`)
      await mustBeMatched(api)
    }))

  it('matches whole, and takes apart whole', () =>
    killed(async ({ api, account, kills }) => {
      const path = `bankaccount/${account.Id}`
      await api.patch(path, { MatchAutomatically: false })
      const { data } = await api.post('bankstatement/import?commit=true', statement(), XML)
      expect((await settled(api, data.Id))['State']).to.equal('Completed')
      await api.patch(path, { MatchAutomatically: true })
      const rematch = () => api.post(`${path}/rematch`)
      await kills(rematch)
      expect((await rematch()).status).to.equal(200)
      const lines = await mustBeMatched(api)

      // What is open again would be matched again a little later, as its invoice has changed.
      await api.patch(path, { MatchAutomatically: false })
      const unmatch = async () => {
        for (const { Id } of lines) {
          const { status, text } = await api.post(`banktransaction/${Id}/unmatch`)
          expect(status, text).to.equal(200)
        }
      }
      await kills(unmatch)
      await unmatch()
      const invoices = await all(api, 'invoice')
      for (const { Status, OpenAmount, TotalAmount } of invoices)
        expect([Status, OpenAmount]).to.deep.equal(['Issued', TotalAmount])
      const payments = await all(api, 'payment')
      expect(new Set(payments.map(({ Status }) => Status))).to.deep.equal(new Set(['Cancelled']))
      expect(payments).to.have.length(LINES)
    }))
})

interface Rounds {
  readonly api: Client
  readonly account: Data
  /** @param ask what is asked each time before the service is killed */
  kills(ask?: () => Promise<unknown>): Promise<void>
}

/** The lines: each there once, with a payment and a paid invoice of its own. */
async function mustBeMatched(api: Client): Promise<readonly Data[]> {
  const lines = await all(api, 'banktransaction')
  const references = new Set(lines.map(({ BankReference }) => BankReference))
  expect([lines.length, references.size]).to.deep.equal([LINES, LINES])
  for (const { Id, Status, MatchedAmount, Amount } of lines)
    expect([Status, MatchedAmount], Id).to.deep.equal(['Matched', Amount])
  const invoices = await all(api, 'invoice')
  for (const { Id, Status, OpenAmount } of invoices)
    expect([Status, OpenAmount], Id).to.deep.equal(['Paid', euros(0)])
  const payments = await all(api, 'payment')
  const paid = payments.map(({ BankTransaction, Invoice, Status }) => [
    (BankTransaction as Data).Id,
    (Invoice as Data).Id,
    Status,
  ])
  const received = paid.filter(([, , status]) => status === 'Received')
  expect([payments.length, received.length]).to.deep.equal([LINES, LINES])
  expect(new Set(paid.map(([line]) => line)).size).to.equal(LINES)
  expect(new Set(paid.map(([, invoice]) => invoice)).size).to.equal(LINES)
  return lines
}

async function all(api: Client, object: string): Promise<readonly Data[]> {
  const found: Data[] = []
  for (let page = 1; ; page++) {
    const { list } = await api.list(object, { page: String(page), pageSize: '100', sort: 'Id' })
    found.push(...list)
    if (list.length < 100) return found
  }
}
