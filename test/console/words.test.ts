/** The words of the console: each language has every key, with the same values in it, and pages use no other. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const ROOT = join(import.meta.dirname, '..', '..', 'console', 'src')
const read = (language: string) =>
  JSON.parse(readFileSync(join(ROOT, 'words', `${language}.json`), 'utf8')) as Record<string, string>
const [en, nb] = [read('en'), read('nb')]

describe('the words of the console', () => {
  it('have every key in both languages, in the same order', () =>
    expect(Object.keys(nb)).to.deep.equal(Object.keys(en)))

  it('are not empty, and have the same values in both languages', () => {
    const valuesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
    for (const [key, text] of Object.entries(en)) {
      expect(text.trim(), key).not.to.equal('')
      expect(nb[key]!.trim(), key).not.to.equal('')
      expect(valuesIn(nb[key]!), key).to.deep.equal(valuesIn(text))
    }
  })

  it('are all used', () => {
    const sources = globSync('**/*.{ts,tsx}', { cwd: ROOT })
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n')
    const prefixes = [...sources.matchAll(/`([a-zA-Z]+\.)\$\{/g)].map(([, prefix]) => prefix!)
    const unused = Object.keys(en).filter(
      (key) => !sources.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)),
    )
    expect(unused).to.deep.equal([])
  })
})
