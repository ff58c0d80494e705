/** docs/decisions: every page is in the index, every package has its reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'docs', 'decisions')
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

describe('docs/decisions', () => {
  it('lists every page', () => {
    const index = read(folder, 'README.md')
    const pages = readdirSync(folder).filter((name) => name !== 'README.md')
    expect(pages).to.have.length.above(5)
    for (const page of pages) expect(index, page).to.include(`(${page})`)
  })

  it('says of every package why it is here', () => {
    const { dependencies, devDependencies } = JSON.parse(read(root, 'package.json')) as {
      dependencies: object
      devDependencies: object
    }
    const noted = read(folder, 'dependencies.md')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => line.split('|')[1]!.split(/[ ,]+/))
    const packages = [...Object.keys(dependencies), ...Object.keys(devDependencies)]
    // Types of a package come with the package.
    expect(noted).to.include.members(packages.filter((name) => !name.startsWith('@types/')))
  })
})
