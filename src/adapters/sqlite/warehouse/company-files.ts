/** The warehouses of all companies: one file each, a few of them open at a time. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Company } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { openCompanyFile, type CompanyFile } from './company-file.ts'

export interface CompanyFiles {
  /** The company's file, open; made when it is not there. */
  of(company: Company): CompanyFile
  has(company: Company): boolean
  close(): void
}

const MOST_OPEN = 32
/** A Key, so that a company's name is nothing but the name of a file. */
const COMPANY = /^[a-z0-9][a-z0-9-]{0,99}$/

/** @throws Error for a company that cannot name a file */
export function companyPath(folder: string, company: Company): string {
  if (!COMPANY.test(company)) throw new Error(`not the Key of a company: ${company.slice(0, 100)}`)
  return join(folder, `${company}.db`)
}

export function companyFiles(folder: string, catalogue: Catalogue): CompanyFiles {
  mkdirSync(folder, { recursive: true })
  /** The one used last comes last. */
  const open = new Map<Company, CompanyFile>()
  return {
    of(company) {
      const file = open.get(company) ?? openCompanyFile(companyPath(folder, company), catalogue)
      open.delete(company)
      open.set(company, file)
      const [oldest] = open.keys()
      if (open.size > MOST_OPEN) {
        open.get(oldest!)!.close()
        open.delete(oldest!)
      }
      return file
    },
    has: (company) => existsSync(companyPath(folder, company)),
    close() {
      for (const file of open.values()) file.close()
      open.clear()
    },
  }
}

/** Removes the files of every company. */
export function removeFiles(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^company-.*\.db(-wal|-shm)?$/.test(name)) rmSync(join(folder, name), { force: true })
}

/** Removes everything in the folder but the lock by which this process holds it. */
export function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder))
    if (!name.startsWith('lock.db')) rmSync(join(folder, name), { recursive: true, force: true })
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
