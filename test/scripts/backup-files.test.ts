/** Uploaded files in a backup: copied with it, checked by their hashes, put back where they were. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { backupStore } from '../../scripts/backup/backup-store.ts'
import { checkedManifest } from '../../scripts/backup/manifest.ts'
import { restoreStore } from '../../scripts/backup/restore-store.ts'
import { folderFiles } from '../../src/adapters/folder/files.ts'
import { newFolder, testService } from '../support/service.ts'

const COMPANY = 'company-01hzzzzzzzzzzzzzzzzzzzzzzz'

describe('a backup with uploaded files', () => {
  let folder: string
  before(() => (folder = newFolder()))
  after(() => rmSync(folder, { recursive: true }))

  it('has them all, and not what was only begun', async () => {
    const service = await testService()
    try {
      const files = folderFiles(join(service.dataDir, 'files'))
      const { sha256 } = await files.put(COMPANY, pieces('a,b\n1,2\n'), 100)
      mkdirSync(join(service.dataDir, 'files', '.begun'), { recursive: true })
      writeFileSync(join(service.dataDir, 'files', '.begun', 'half'), 'a')
      await service.stop()
      const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')]
      const manifest = await backupStore(service.dataDir, backup)
      const name = `files/${COMPANY}/${sha256}`
      expect(manifest.Uploads).to.equal(1)
      expect(manifest.Files.map(({ Name }) => Name)).to.include(name)
      await restoreStore(backup, restored, { withoutKeys: false, keysAreSet: false })
      expect(readFileSync(join(restored, name), 'utf8')).to.equal('a,b\n1,2\n')
      writeFileSync(join(backup, name), 'a,b\n1,3\n')
      const damaged = await checkedManifest(backup).catch((error: Error) => error.message)
      expect(damaged).to.include(`${name} is not what manifest.json says`)
    } finally {
      await service.discard()
    }
  })
})

async function* pieces(text: string) {
  yield Buffer.from(text)
}
