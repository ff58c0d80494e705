/** The console takes nothing but types from the service: the image builds it where the service's sources are not. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const ROOT = join(import.meta.dirname, '..', '..', 'console', 'src')

describe('what the console imports from outside itself', () => {
  const imports = globSync('**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^import[^'"]*['"](\.[^'"]+)['"]/gms)]
      .filter(([, path]) => !join(ROOT, file, '..', path!).startsWith(ROOT))
      .map(([statement]) => ({ file, statement })),
  )

  it('is types', () => {
    expect(imports).not.to.deep.equal([])
    for (const { file, statement } of imports) expect(statement, file).to.match(/^import type /)
  })
})
