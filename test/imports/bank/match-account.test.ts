/** Matching the lines of an account: what it asks the store for, beside others, and after it was cut off at any step. */
import { join } from 'node:path'
import { expect } from 'chai'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { keyedLocks } from '../../../src/commands/support/keyed-locks.ts'
import type { Invalid } from '../../../src/domain/errors.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { objectOfKey } from '../../../src/domain/records/key.ts'
import { matchAccount } from '../../../src/imports/bank/matches/match-account.ts'
import { matchLine } from '../../../src/imports/bank/matches/match-line.ts'
import { forService } from '../../../src/imports/bank/matches/matched.ts'
import type { MatchWork } from '../../../src/imports/bank/matches/steps.ts'
import { memoryLog, type Interference, type MemoryLog } from '../../support/memory-event-store.ts'
import { caller, COMPANY, readModelsOf, recordsIn, writeSide } from '../../support/write-side.ts'

const definitions = loadDefinitions([join(import.meta.dirname, '../../../definitions')])
const euros = (Amount: number) => ({ Amount, Currency: 'EUR' })
const RF = ['RF18539007547034', 'RF97123456', 'RF712348231'] as const

function processOn(log: MemoryLog, interference: Interference = {}, process = 1) {
  const side = writeSide({ log, definitions, interference, process })
  const work: MatchWork = {
    ...side,
    definitions,
    readModels: readModelsOf(log, definitions),
    load: side.states.load,
    turns: keyedLocks(),
    pace: () => () => undefined,
  }
  const create = async (object: string, body: Fields) => {
    const definition = forService(definitions.get(object)!)
    return (await side.write.create(caller(), { definition, body, importing: true })).key
  }
  return { work, create }
}

type Process = ReturnType<typeof processOn>

const line = (account: string, reference: string, amount = 100): Fields => ({
  BankAccount: account,
  TransactionId: `${account} ${reference}`,
  BookingDate: '2029-04-02',
  Amount: euros(amount),
  StructuredReference: reference,
  Status: 'Unmatched',
})

async function owed({ create }: Process, count: number) {
  const account = await create('bankaccount', { Name: 'Rent', Iban: 'NL91ABNA0417164300' })
  const tenant = await create('tenant', { Name: 'Ann Lee' })
  for (const reference of RF.slice(0, count)) {
    const body = { Tenant: tenant, Status: 'Issued', TotalAmount: euros(100), PaymentReference: reference }
    await create('invoice', body)
    await create('banktransaction', line(account, reference))
  }
  return account
}

const fieldsOf = (log: MemoryLog, object: string) =>
  [...recordsIn(log)].flatMap(([key, { state }]) => (key.startsWith(`${object}-`) ? [state.fields] : []))

const statesOf = (log: MemoryLog, object: string) => fieldsOf(log, object).map(({ Status }) => Status)

describe('matching the lines of an account', () => {
  it('reads no stream of what this process has written, and remembers', async () => {
    const log = memoryLog()
    const read: string[] = []
    const one = processOn(log, { reading: (stream) => void (objectOfKey(stream) && read.push(stream)) })
    const account = await owed(one, 3)
    read.length = 0
    expect(await matchAccount(one.work, caller(), account)).to.include({ matched: 3 })
    expect(read).to.deep.equal([])
  })

  it('is done once when it is asked for twice at the same time', async () => {
    const log = memoryLog()
    let appends = 0
    const one = processOn(log, { before: ({ stream }) => void (objectOfKey(stream) && appends++) })
    const account = await owed(one, 3)
    appends = 0
    const both = await Promise.all([1, 2].map(() => matchAccount(one.work, caller(), account)))
    expect(both.map(({ lines, matched }) => [lines, matched])).to.deep.equal([
      [3, 3],
      [0, 0],
    ])
    // A line twice, its payment, its invoice.
    expect(appends).to.equal(3 * 4)
  })

  it('pays an invoice once when two accounts have a line for it', async () => {
    const log = memoryLog()
    const one = processOn(log)
    const account = await owed(one, 1)
    const other = await one.create('bankaccount', { Name: 'Other', Iban: 'DE89370400440532013000' })
    await one.create('banktransaction', line(other, RF[0]))
    await Promise.all([account, other].map((key) => matchAccount(one.work, caller(), key)))
    expect(statesOf(log, 'banktransaction').sort()).to.deep.equal(['Matched', 'Unmatched'])
    expect(fieldsOf(log, 'invoice')[0]).to.deep.include({ Status: 'Paid', OpenAmount: euros(0) })
    expect(statesOf(log, 'payment').filter((status) => status === 'Received')).to.have.length(1)
  })

  for (const isStored of [false, true])
    for (const step of [1, 2, 3, 4])
      it(`goes on after it was cut off at step ${step}, ${isStored ? 'after' : 'before'} that was stored`, async () => {
        const log = memoryLog()
        let left = Infinity
        const cut = () => {
          if (--left <= 0) throw new Unavailable('the store is away')
        }
        const one = processOn(log, isStored ? { after: cut } : { before: cut })
        const account = await one.create('bankaccount', { Name: 'Rent', Iban: 'NL91ABNA0417164300' })
        const invoice = await one.create('invoice', {
          Status: 'Issued',
          TotalAmount: euros(100),
          PaymentReference: RF[0],
        })
        await one.create('payment', { Invoice: invoice, Amount: euros(100), Status: 'Expected' })
        await one.create('banktransaction', line(account, RF[0]))
        left = step
        const came = await matchAccount(one.work, caller(), account).catch((error: unknown) => error)
        expect(came).to.be.instanceOf(Unavailable)

        await matchAccount(processOn(log, {}, 2).work, caller(), account)
        expect(statesOf(log, 'banktransaction')).to.deep.equal(['Matched'])
        expect(statesOf(log, 'payment')).to.deep.equal(['Received'])
        expect(fieldsOf(log, 'invoice')[0]).to.deep.include({ Status: 'Paid', OpenAmount: euros(0) })
        const received = log.all().filter(({ type }) => type === 'payment.received')
        expect(received).to.have.length(1)
        expect(received[0]!.metadata.company).to.equal(COMPANY)
      })
})

describe('what people choose a line to be for', () => {
  it('is named by its place where it is not there, or does not fit', async () => {
    const log = memoryLog()
    const one = processOn(log)
    const account = await owed(one, 1)
    const [invoice, other] = await Promise.all(
      [100, 50].map((amount) => one.create('invoice', { Status: 'Issued', TotalAmount: euros(amount) })),
    )
    const key = await one.create('banktransaction', line(account, 'by hand', 150))
    const faultOf = (...parts: readonly [item: string, amount: string][]) =>
      matchLine(one.work, caller(), key, {
        rule: 'by-hand',
        parts: parts.map(([item, amount]) => ({ item, amount })),
      }).then(
        () => [],
        (error: Invalid) => error.faults,
      )
    expect(await faultOf([invoice!, '100'], ['invoice-9', '50'])).to.deep.equal([
      { Field: 'Payments[1]', Message: 'there is no payment or invoice invoice-9' },
    ])
    expect(await faultOf([invoice!, '100'], [other!, '60'])).to.deep.equal([
      { Field: 'Payments[1].Amount', Message: 'must be at most 50, which is open' },
    ])
  })
})
