/** The examples of clients/typescript/README.md, run as they stand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as client from '../../clients/typescript/src/index.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PACKAGE = join(ROOT, 'clients', 'typescript')

describe('the TypeScript package', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it('has examples that work as they stand', async () => {
    const text = readFileSync(join(PACKAGE, 'README.md'), 'utf8')
    const lines: unknown[][] = []
    const examples = [...text.matchAll(/```ts\n(.*?)```/gs)]
    for (const [, code = ''] of examples) {
      const [imported, ...rest] = code.split('\n')
      expect(imported).to.match(/^import .* from '@daybook\/client'$/)
      const body = `return (async () => {${rest.join('\n')}})()`
      // eslint-disable-next-line @typescript-eslint/no-implied-eval -- it is the README's code that is tested
      const example = new Function('url', 'token', 'console', ...Object.keys(client), body) as (
        ...given: unknown[]
      ) => Promise<void>
      const log = (...said: unknown[]) => lines.push(said)
      await example(service.url, TOKEN, { log }, ...Object.values(client))
    }
    expect(examples).to.have.length(2)
    expect(lines[0]).to.deep.equal([`CON-${new Date().getUTCFullYear()}-0001`])
    expect(lines[1]![0]).to.equal(1)
    expect(lines[2]).to.deep.equal([1])
    expect(lines[3]![0]).to.include('Ann').and.to.include("Zoë O'Brien")
  })
})
