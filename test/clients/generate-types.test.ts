/** Types from the user's own installation: they compile, and refuse what the service would refuse. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'
import { generateTypes } from '../../clients/typescript/src/index.ts'
import { testService } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '..', '..')

const USE = `
import { Daybook, eur } from '@daybook/client'
import type { Objects } from './objects.ts'
const daybook = new Daybook<Objects>({ url: 'http://127.0.0.1' })
export async function right() {
  const { record } = await daybook.contract.create({ MonthlyRent: eur(1), StartDate: '2030-01-01', Tenant: 'tenant-x' })
  await daybook.contract.update(record.Id, { Notes: null, MonthlyRent: { Amount: 2 } })
  await daybook.contract.act(record.Id, 'submit')
  for await (const one of daybook.contract.list({ expand: ['Tenant'], fields: ['Tenant'] })) console.log(one.Tenant?.Name, one.Tenant?.Email)
  await daybook.tenant.upsert('ExternalId', '1', { Name: 'Ann' })
}
export async function wrong() {
  // @ts-expect-error a field that does not exist
  await daybook.contract.update('contract-x', { Nope: 1 })
  // @ts-expect-error a lookup is written as a Key
  await daybook.contract.update('contract-x', { Tenant: { Id: 'tenant-x' } })
  // @ts-expect-error the service assigns it
  await daybook.contract.update('contract-x', { ContractNumber: 'CON-1' })
  // @ts-expect-error what is required is missing
  await daybook.contract.create({ Notes: 'x' })
  // @ts-expect-error not an action
  await daybook.contract.act('contract-x', 'aprove')
  // @ts-expect-error not a lookup
  daybook.contract.list({ expand: ['Notes'] })
  // @ts-expect-error not unique
  await daybook.tenant.upsert('Name', '1', {})
}
`

describe('the types of an installation', function () {
  this.timeout(60_000)
  it('compile, and refuse what the service would refuse', async () => {
    const service = await testService()
    const folder = mkdtempSync(join(tmpdir(), 'daybook-types-'))
    try {
      const openapi = JSON.parse((await service.get('openapi.json')).text) as object
      writeFileSync(join(folder, 'objects.ts'), generateTypes(openapi))
      writeFileSync(join(folder, 'use.ts'), USE)
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(join(ROOT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'))
      const program = ts.createProgram([join(folder, 'use.ts')], {
        strict: true,
        noEmit: true,
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules', '@types')],
        paths: { '@daybook/client': [join(ROOT, 'clients', 'typescript', 'src', 'index.ts')] },
      })
      const faults = ts.getPreEmitDiagnostics(program)
      expect(
        faults.map(({ file, start, messageText }) => [
          file?.fileName.split('/').at(-1),
          file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0,
          ts.flattenDiagnosticMessageText(messageText, ' '),
        ]),
      ).to.deep.equal([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await service.discard()
    }
  })
})
