/**
 * camt.053 (statements), camt.054 (notifications) and, where it is asked for, camt.052 (the day so far), of every version:
 * elements are known by their names. An entry is kept until it ends, never the document.
 */
import { isDate } from '../../domain/fields/dates.ts'
import { absolute, isZero, plainDecimal } from '../decimal.ts'
import { boundedBytes } from '../formats/bounded-bytes.ts'
import { decodedText } from '../formats/encoding.ts'
import { DEFAULT_LIMITS, FileRefused } from '../formats/reader.ts'
import { xmlParser, type XmlHandlers } from '../formats/xml.ts'
import { dayAt, entryLines, signedAmount } from './camt-entry.ts'
import {
  present,
  type Balance,
  type BankItem,
  type Statement,
  type StatementEnd,
  type StatementOptions,
  type StatementReader,
} from './statement.ts'
import { nodeAt, nodesAt, textAt, xmlNode, type XmlNode } from './xml-tree.ts'

const STATEMENTS: ReadonlySet<string> = new Set(['Stmt', 'Rpt', 'Ntfctn'])
/** The first versions have theirs in the name. */
const MESSAGE = /^BkToCstmr(?:Stmt|AcctRpt|DbtCdtNtfctn)(?:V\d\d)?$/
/** Transactions of one entry that are kept until it ends. */
const MOST_DETAILS = 200_000

export const readCamt: StatementReader = async function* (bytes, options = {}, limits = DEFAULT_LIMITS) {
  const items: BankItem[] = []
  const handlers = camtHandlers(options, (item) => items.push(item))
  const parser = xmlParser('The statement', handlers)
  for await (const part of decodedText(boundedBytes(bytes, limits.bytes)).text) {
    parser.take(part)
    yield* items
    items.length = 0
  }
  parser.end()
  yield* items
  if (!handlers.sawMessage())
    throw new FileRefused('other-format', 'It is not a camt.052, camt.053 or camt.054 message.')
}

function camtHandlers(
  options: StatementOptions,
  emit: (item: BankItem) => void,
): XmlHandlers & { sawMessage(): boolean } {
  let message = false
  /** From the statement or entry down to where we are. */
  const path: XmlNode[] = []
  let details: XmlNode[] = []
  let begun = false
  let entries = 0
  let skipped = 0

  const begin = (head: XmlNode) => {
    if (!begun) emit({ is: 'statement', statement: statementOf(head) })
    begun = true
  }
  const endEntry = (entry: XmlNode) => {
    entries++
    const status = textAt(entry, ['Sts', 'Cd'], ['Sts'])
    if (status !== undefined && status !== 'BOOK') {
      skipped++
      return
    }
    const found = entryLines(entry, details, entries, options)
    if (typeof found === 'string')
      emit({ is: 'unreadable', place: entries, message: `Entry ${entries} ${found}.` })
    else for (const line of found) emit({ is: 'line', line })
  }
  const endStatement = (head: XmlNode) => {
    begin(head)
    if (skipped > 0)
      emit({
        is: 'notice',
        place: entries,
        message: `${skipped} entries are not booked yet; they are left out.`,
      })
    emit({ is: 'end', end: endOf(head) })
    begun = false
    skipped = 0
  }
  return {
    sawMessage: () => message,
    open(name, attributes) {
      if (MESSAGE.test(name)) {
        message = true
        if (name.startsWith('BkToCstmrAcctRpt') && !options.intraday)
          throw new FileRefused(
            'other-format',
            'It is a report of the day so far (camt.052), whose lines are not final: send the statement (camt.053).',
          )
      }
      if (path.length === 0 && !(message && STATEMENTS.has(name))) return
      if (name === 'Ntry' && path.length === 1) {
        begin(path[0]!)
        details = []
      }
      path.push(xmlNode(name, attributes))
    },
    text(text) {
      const node = path.at(-1)
      if (node) node.text += text
    },
    close(name) {
      const node = path.pop()
      if (!node) return
      const parent = path.at(-1)
      if (name === 'TxDtls') {
        if (details.push(node) > MOST_DETAILS)
          throw new FileRefused(
            'too-many-rows',
            `Entry ${entries + 1} has more than ${MOST_DETAILS} transactions.`,
          )
      } else if (name === 'Ntry' && path.length === 1) endEntry(node)
      else if (parent) parent.children.push(node)
      else endStatement(node)
    },
  }
}

function statementOf(head: XmlNode): Statement {
  const account = nodeAt(head, 'Acct')
  const opening = balanceOf(head, 'OPBD', 'PRCD')
  const day = (name: string) => textAt(head, ['FrToDt', name])?.slice(0, 10)
  const from = day('FrDtTm') ?? day('FrDt')
  const to = day('ToDtTm') ?? day('ToDt')
  return {
    format: 'camt',
    account: (
      textAt(account, ['Id', 'IBAN'], ['Id', 'Othr', 'Id'], ['Id', 'PrtryAcct', 'Id'], ['Id', 'BBAN']) ?? ''
    ).replaceAll(/\s/g, ''),
    ...present<Statement>({
      currency: textAt(account, ['Ccy']) ?? opening?.currency,
      id: textAt(head, ['Id']),
      number: textAt(head, ['ElctrncSeqNb']),
      legalNumber: textAt(head, ['LglSeqNb']),
      from: from && isDate(from) ? from : undefined,
      to: to && isDate(to) ? to : undefined,
      opening,
      isNotification: head.name === 'Ntfctn' ? true : undefined,
    }),
  }
}

/** Totals of zero beside entries are what some banks fill in: they say nothing. */
function endOf(head: XmlNode): StatementEnd {
  const summary = nodeAt(head, 'TxsSummry')
  const total = (name: string) => {
    const value = plainDecimal(textAt(summary, [name, 'Sum']) ?? '')
    return value !== undefined && !isZero(value) ? absolute(value) : undefined
  }
  return present<StatementEnd>({
    closing: balanceOf(head, 'CLBD'),
    credits: total('TtlCdtNtries'),
    debits: total('TtlDbtNtries'),
  })
}

function balanceOf(head: XmlNode, ...codes: readonly string[]): Balance | undefined {
  for (const code of codes)
    for (const balance of nodesAt(head, 'Bal')) {
      if (textAt(balance, ['Tp', 'CdOrPrtry', 'Cd'], ['Tp', 'Cd']) !== code) continue
      const amount = signedAmount(nodeAt(balance, 'Amt'), textAt(balance, ['CdtDbtInd']))
      if (!amount) continue
      const date = dayAt(balance, 'Dt')
      return { amount: amount.value, currency: amount.currency, ...(date && { date }) }
    }
  return undefined
}
