/** Step 1 of an import of a bank file: which statements of which accounts are in it, and what its lines are called. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Fields, Json } from '../../../domain/json.ts'
import { timestampOf } from '../../../domain/fields/dates.ts'
import type { Import, ReadFile } from '../../import.ts'
import { ownBankProfiles } from '../../profiles/profiles.ts'
import type { Notice } from '../../formats/reader.ts'
import type { StagedFile } from '../../staging/staged-file.ts'
import { changeImport, type ImportWork } from '../../work.ts'
import type { BankJob, BankSurvey } from '../staging/bank-job.ts'
import { findAccounts } from './accounts.ts'
import type { BankFile } from '../bank-file.ts'
import { LINE_MAPPING } from './line-mapping.ts'
import { keepPlan, planStatements } from './statement-plan.ts'

/** @throws FileRefused with what is wrong with the file */
export async function readBankStep(work: ImportWork, whole: Import): Promise<Import> {
  const { company, sha256 = '', bank } = whole
  const { Accounts = {}, Intraday, Profile, Encoding } = bank?.Choices ?? {}
  const profiles = await ownBankProfiles(work, company)
  const choices: BankJob = {
    ...(Intraday !== undefined && { intraday: Intraday }),
    ...(Profile !== undefined && { profile: Profile }),
    ...(profiles.length > 0 && { profiles }),
    ...(Encoding !== undefined && { encoding: Encoding }),
  }
  const folder = await work.scratch()
  try {
    const path = join(folder, 'file')
    const bytes = await work.files.open(company, sha256)
    if (!bytes) throw new Error(`the file of ${whole.key} is not kept any more`)
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 }))
    const stage = (name: string, job: BankJob) =>
      work.stage({ path, target: join(folder, name), options: {}, bank: { ...choices, ...job } })

    const surveyed = await stage('survey', {})
    const survey = surveyed.survey!
    const texts = survey.statements.map(({ account }) => account)
    const { accounts, questions } = await findAccounts(work, company, texts, Accounts)
    if (questions.length > 0)
      return await changeImport(work, whole, {
        ...found(work, whole, surveyed),
        Bank: bankFile(whole, survey) as unknown as Json,
        State: 'NeedsMapping',
        Questions: questions as unknown as Json,
      })
    const at = work.clock.now()
    const { plan, lookups, known } = await planStatements(
      work,
      {
        company,
        key: whole.key,
        at,
        isAgain: whole.fields['SameContentAs'] !== undefined && whole.fields['SameContentAs'] !== null,
      },
      survey.statements,
      accounts,
    )
    const Plan = await keepPlan(work.files, company, plan)
    const staged = await stage('lines', { accounts, statements: lookups })
    const kept = await work.files.put(company, createReadStream(join(folder, 'lines')), Infinity)
    const read: ReadFile = {
      Staged: kept.sha256,
      IndexAt: staged.indexAt,
      Rows: staged.rows,
      Columns: staged.columns,
      Sheet: null,
      HiddenSheets: [],
      Notices: [...knownNotice(known), ...staged.notices],
    }
    return await changeImport(work, whole, {
      ...found(work, whole, surveyed),
      Read: read as unknown as Json,
      MappedAt: timestampOf(at),
      Mapping: LINE_MAPPING,
      Bank: { ...bankFile(whole, survey), Plan },
      Questions: null,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const found = (work: ImportWork, whole: Import, { format }: StagedFile): Fields => ({
  ReadAt: timestampOf(work.clock.now()),
  File: { ...(whole.fields['File'] as Fields), Type: format },
})

const bankFile = ({ bank }: Import, { format, profile, statements }: BankSurvey): BankFile => ({
  Format: format,
  Profile: profile ?? null,
  Statements: statements.length,
  Choices: bank?.Choices ?? {},
})

const knownNotice = (known: number): readonly Notice[] =>
  known === 0
    ? []
    : [
        {
          code: 'statement',
          message: `${known} ${known === 1 ? 'statement is' : 'statements are'} here already, with all lines: nothing is added to them.`,
        },
      ]
