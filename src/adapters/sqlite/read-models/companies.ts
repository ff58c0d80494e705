/** Companies as small numbers inside the read models' file, given in the order in which their first record came. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Company } from '../../../domain/events/event.ts'
import { prepareWrite } from '../files/open.ts'

export interface Companies {
  /** The company's number; a new one when it is not known yet. */
  numberOf(company: Company): number
  /** A transaction was rolled back: numbers given in it were not. */
  forget(): void
  nameOf(number: number): Company
}

export function openCompanies(db: DatabaseSync): Companies {
  db.exec('CREATE TABLE IF NOT EXISTS companies (number INTEGER PRIMARY KEY, company TEXT NOT NULL UNIQUE)')
  const find = db.prepare('SELECT number FROM companies WHERE company = ?')
  const add = prepareWrite(db, 'INSERT INTO companies (company) VALUES (?)')
  const name = db.prepare('SELECT company FROM companies WHERE number = ?')
  const known = new Map<Company, number>()
  return {
    numberOf(company) {
      let number = known.get(company)
      if (number === undefined) {
        number =
          (find.get(company)?.['number'] as number | undefined) ?? Number(add.run(company).lastInsertRowid)
        known.set(company, number)
      }
      return number
    },
    forget: () => known.clear(),
    nameOf: (number) => name.get(number)?.['company'] as string,
  }
}

/** For readers: known numbers are remembered, as they never change once they can be seen. */
export function companyNumbers(db: DatabaseSync): (company: Company) => number | undefined {
  const known = new Map<Company, number>()
  let find: StatementSync | undefined // not every file that is read has companies
  return (company) => {
    let number = known.get(company)
    if (number === undefined) {
      find ??= db.prepare('SELECT number FROM companies WHERE company = ?')
      number = find.get(company)?.['number'] as number | undefined
      if (number !== undefined) known.set(company, number)
    }
    return number
  }
}
