/** What every source of files does. */
import { expect } from 'chai'
import type { FileSource } from '../../src/ports/sources/file-source.ts'

export interface FileSourceSuite {
  /** A source on an empty folder. */
  open(): Promise<FileSource>
  /** Writes as those do who bring files. */
  write(path: string, text: string): Promise<void>
  /** Names below the folder. */
  names(folder: string): Promise<readonly string[]>
}

export function fileSourceContract(name: string, suite: FileSourceSuite): void {
  describe(`a source of files: ${name}`, () => {
    let source: FileSource
    before(async () => {
      source = await suite.open()
    })
    after(() => source.close())
    const textOf = async (file: string) => {
      const parts: Uint8Array[] = []
      for await (const part of source.open(file)) parts.push(part)
      return Buffer.concat(parts).toString('utf8')
    }

    it('lists files with what tells whether they have changed', async () => {
      expect(await source.list()).to.deep.equal([])
      await suite.write('a.csv', 'one')
      const [before] = await source.list()
      expect(before).to.include({ name: 'a.csv', bytes: 3 })
      expect(await source.stat('a.csv')).to.deep.equal(before)
      await suite.write('a.csv', 'longer')
      expect(await source.stat('a.csv')).to.not.deep.equal(before)
      expect(await source.stat('nothing.csv')).to.equal(undefined)
    })

    it('reads files', async () => {
      expect(await textOf('a.csv')).to.equal('longer')
      const failed = await textOf('nothing.csv').catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(Error)
    })

    it('moves a file into a folder below, and never over another', async () => {
      await source.move('a.csv', 'processed', 'a.csv.1')
      expect(await source.list()).to.deep.equal([])
      expect(await suite.names('processed')).to.deep.equal(['a.csv.1'])
      await suite.write('a.csv', 'other')
      const failed = await source.move('a.csv', 'processed', 'a.csv.1').catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(Error)
      expect(await textOf('a.csv')).to.equal('other')
    })

    it('takes names, and no paths', async () => {
      for (const path of ['../a.csv', 'processed/a.csv.1', '', '..', '/etc/passwd'])
        expect(await textOf(path).catch(() => 'refused'), path).to.equal('refused')
      for (const folder of ['..', '../up', '/tmp/up'])
        expect(await source.move('a.csv', folder, 'x').catch(() => 'refused'), folder).to.equal('refused')
    })
  })
}
