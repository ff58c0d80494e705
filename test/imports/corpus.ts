/** Public files of others, where somebody has put them: the folder is named by `DAYBOOK_CORPORA`, and may be absent. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the corpus; without it says why its tests are skipped. */
export function corpus(name: string): string | undefined {
  const corpora = process.env['DAYBOOK_CORPORA']
  if (corpora && existsSync(join(corpora, name))) return join(corpora, name)
  console.log(
    `      skipped: DAYBOOK_CORPORA ${corpora ? `has no folder ${name}` : 'does not name a folder'}`,
  )
  return undefined
}
