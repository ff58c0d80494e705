/** Keys of companies in `keys.db`: the contract, and what is left of a destroyed key in the file. */
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sqliteKeyStore } from '../../../src/adapters/sqlite/keys/key-store.ts'
import { keyStoreContract } from '../../contracts/key-store.ts'
import { memoryKeyStore } from '../../support/memory-keys.ts'
import { newFolder } from '../../support/service.ts'

describe('keys of companies in memory', () => {
  const store = memoryKeyStore()
  keyStoreContract(async () => store)
})

describe('keys of companies in a file', () => {
  let folder: string
  const path = () => join(folder, 'keys.db')
  before(() => (folder = newFolder()))
  after(() => rmSync(folder, { recursive: true }))

  keyStoreContract(async () => sqliteKeyStore(path()))

  it('are for the owner of the process only', async () => {
    await sqliteKeyStore(path()).close()
    expect(statSync(path()).mode & 0o077).to.equal(0)
  })

  it('are not in the file any more once they are destroyed', async () => {
    const store = sqliteKeyStore(path())
    await store.add('company-1', 'answers:2020-01-01', 'canary-of-a-key')
    expect(readFileSync(path()).includes('canary-of-a-key')).to.equal(true)
    await store.destroy('answers:', 'answers:2020-01-02')
    await store.close()
    expect(readFileSync(path()).includes('canary-of-a-key')).to.equal(false)
  })
})
