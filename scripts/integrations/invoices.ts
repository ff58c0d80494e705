/**
 * `node scripts/integrations/invoices.ts [--invoices 1000] [--lost 10]`: invoices to a partner that does what is asked and then loses so
 * many of a hundred answers, once with a key for each request and once by asking first. Expects each there once.
 */
import {
  AT_ONCE,
  BY_FIND,
  BY_KEY,
  lossyBooks,
  sendInvoices,
} from '../../test/integrations/dropped-answers.ts'
import { serviceWith } from '../../test/integrations/support/own-file.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const { invoices, lost } = numbersFromArguments({ invoices: 1_000, lost: 10 })
for (const file of [BY_KEY, BY_FIND]) {
  const dropping = { invoices, lostOf100: lost, random: Math.random }
  const books = await lossyBooks(dropping, file === BY_KEY)
  const service = await serviceWith(file, { settings: AT_ONCE })
  const began = performance.now()
  try {
    await sendInvoices(service, file.integration, books, dropping)
    const seconds = Math.round((performance.now() - began) / 1_000)
    console.log(
      `${file.integration}: ${books.kept.length} of ${invoices} are there, ${books.lost()} answers of ${books.partner.asked.length} were lost, ${seconds} s`,
    )
  } finally {
    await service.discard()
    await books.partner.stop()
  }
}
