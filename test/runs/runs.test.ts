/** `npm test` and `npm run test:rest` together run every test, each once; every pattern finds something. */
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '..', '..')
const filesOf = (patterns: readonly string[], ignore: readonly string[] = []) =>
  globSync([...patterns], { cwd: root, exclude: [...ignore] }).sort()

interface Run {
  readonly spec: readonly string[]
  readonly ignore?: readonly string[]
}

const require = createRequire(import.meta.url)
const run = (name: string) => require(`./${name}.cjs`) as Run

describe('the runs of tests', () => {
  it('have every test in one of the two', () => {
    const [everyday, rest] = [run('everyday'), run('rest')]
    const all = filesOf(['test/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'])
    const together = [...filesOf(everyday.spec, everyday.ignore), ...filesOf(rest.spec)]
    expect(together.sort()).to.deep.equal(all)
  })

  for (const name of ['everyday', 'rest', 'engines'])
    it(`find tests by every pattern of ${name}`, () => {
      for (const pattern of run(name).spec) expect(filesOf([pattern]), pattern).not.to.deep.equal([])
    })
})
