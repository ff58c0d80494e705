/** Files of an SFTP server: the contract on a real OpenSSH, its faults, and that no other server is trusted. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sftpSource } from '../../../src/adapters/sftp/file-source.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { FileSource } from '../../../src/ports/sources/file-source.ts'
import { HostKeyRefused } from '../../../src/ports/sources/host-key-refused.ts'
import { fileSourceContract } from '../../contracts/file-source.ts'
import { NO_OPENSSH, startOpenSsh, type OpenSsh } from '../../engines/openssh/start.ts'

describe('an SFTP server that files are picked up from', function () {
  this.timeout(60_000)
  if (NO_OPENSSH !== undefined) {
    it.skip(NO_OPENSSH)
    return
  }
  let server: OpenSsh
  before(async () => {
    server = await startOpenSsh()
    mkdirSync(join(server.folder, 'out'))
  })
  after(() => server.stop())

  const login = () => {
    const { port, user, privateKey, hostKey } = server
    return { address: '127.0.0.1', port, user, privateKey, hostKey }
  }
  const failed = async (opening: Promise<FileSource>): Promise<unknown> =>
    opening.then(
      (source) => source.close().then(() => 'opened'),
      (error: unknown) => error,
    )
  const readAll = async (source: FileSource, name: string, after = async () => {}) => {
    let bytes = 0
    for await (const part of source.open(name)) {
      if (bytes === 0) await after()
      bytes += part.length
    }
    return bytes
  }

  fileSourceContract('OpenSSH', {
    open: () => sftpSource(login(), join(server.folder, 'out')),
    write: async (path, text) => writeFileSync(join(server.folder, 'out', path), text),
    names: async (folder) => readdirSync(join(server.folder, 'out', folder)),
  })

  it('is not trusted with another key, and is sent nothing then', async () => {
    const unknown = await failed(sftpSource({ ...login(), hostKey: undefined }, ''))
    expect(unknown).to.be.instanceOf(HostKeyRefused)
    expect((unknown as HostKeyRefused).presented).to.equal(server.hostKey)
    const other = `SHA256:${'A'.repeat(43)}`
    const wrong = await failed(sftpSource({ ...login(), hostKey: other }, ''))
    expect((wrong as Error).message).to.equal(
      `the server has shown the key ${server.hostKey}, and ${other} is trusted`,
    )
  })

  it('says what is wrong with a login, a key, a folder', async () => {
    const refused = await failed(sftpSource({ ...login(), user: 'nobody' }, ''))
    expect(refused).to.be.instanceOf(Unavailable)
    expect((refused as Error).message).to.match(/the server refuses the user name, password or key$/)
    expect(await failed(sftpSource({ ...login(), privateKey: 'none' }, ''))).to.be.instanceOf(Unavailable)
    expect(await failed(sftpSource({ ...login(), port: 1 }, ''))).to.be.instanceOf(Unavailable)
    const source = await sftpSource(login(), '/nothing/here')
    const error = await source.list().catch((thrown: unknown) => thrown)
    await source.close()
    expect((error as Error).message).to.match(/^the folder cannot be read: No such file/)
  })

  it('follows no links, and reads from where its user begins', async () => {
    writeFileSync(join(server.folder, 'top.csv'), 'top')
    symlinkSync('/etc/hostname', join(server.folder, 'link.csv'))
    const source = await sftpSource(login(), '')
    expect((await source.list()).map(({ name }) => name)).to.deep.equal(['top.csv'])
    expect(await source.stat('link.csv')).to.equal(undefined)
    await source.close()
  })

  it('lists ten thousand files, and reads a large one, in seconds', async () => {
    const many = join(server.folder, 'many')
    mkdirSync(many)
    for (let n = 0; n < 10_000; n++) writeFileSync(join(many, `old-${n}.csv`), '')
    writeFileSync(join(many, 'large.csv'), '')
    truncateSync(join(many, 'large.csv'), 20_000_000)
    const source = await sftpSource(login(), 'many')
    expect(await source.list()).to.have.length(10_001)
    expect(await readAll(source, 'large.csv')).to.equal(20_000_000)
    await source.close()
    rmSync(many, { recursive: true })
  })

  describe('that is killed', () => {
    it('may be gone in the middle of a file: reading it fails', async () => {
      writeFileSync(join(server.folder, 'half.csv'), '')
      truncateSync(join(server.folder, 'half.csv'), 5_000_000)
      const source = await sftpSource(login(), '')
      const read = await readAll(source, 'half.csv', () => server.kill()).catch((error: unknown) => error)
      expect(read).to.be.instanceOf(Error)
      await source.close()
      expect(await failed(sftpSource(login(), ''))).to.be.instanceOf(Unavailable)
      await server.start()
      expect(await failed(sftpSource(login(), ''))).to.equal('opened')
    })
  })
})
