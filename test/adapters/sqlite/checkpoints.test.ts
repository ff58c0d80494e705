/** Write-ahead logs: cut off at rest, and kept short where there is little room. */
import { rmSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { Checkpoints } from '../../../src/adapters/sqlite/files/checkpoints.ts'
import { openForWriting } from '../../../src/adapters/sqlite/files/open.ts'
import { newFolder } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'

const MEGABYTE = 2 ** 20

describe('a write-ahead log', function () {
  this.timeout(60_000)
  let folder: string
  let db: DatabaseSync
  let checkpoints: Checkpoints
  const path = () => join(folder, 'one.db')
  const logBytes = () => statSync(`${path()}-wal`).size

  const open = (room: number) => {
    folder = newFolder()
    db = openForWriting({ path: path(), synchronous: 'NORMAL', cacheMegabytes: 4 })
    db.exec('CREATE TABLE rows (n INTEGER PRIMARY KEY, value BLOB)')
    checkpoints = new Checkpoints({
      onFsyncFailure: (file) => {
        throw new Error(`fsync of ${file}`)
      },
      room: () => room,
      restLooks: 3,
    })
    checkpoints.watch({ db, path: path(), grown: 16_000 })
  }
  /** The same four megabytes, over and over. */
  const write = async (times: number, pauseMs = 0) => {
    const put = db.prepare('INSERT OR REPLACE INTO rows VALUES (?, zeroblob(1000000))')
    for (let i = 0; i < times; i++) {
      for (let n = 1; n <= 4; n++) put.run(n)
      checkpoints.written(db)
      await delay(pauseMs)
    }
  }
  afterEach(async () => {
    await checkpoints.stop()
    db.close()
    rmSync(folder, { recursive: true })
  })

  it('is cut off when nothing has been written for a while', async () => {
    open(Infinity)
    await write(5)
    expect(logBytes()).to.be.greaterThan(10 * MEGABYTE)
    await eventually('it is cut off', async () => expect(logBytes()).to.equal(0))
  })

  it('is kept short while it is written to where there is little room', async () => {
    open(100 * MEGABYTE)
    await eventually('it is cut off between two writes', async () => {
      const before = logBytes()
      await write(1, 20)
      expect(logBytes()).to.be.lessThan(before)
    })
    expect(logBytes()).to.be.lessThan(64 * MEGABYTE)
  })

  it('makes room when it is asked to, and is left alone while somebody reads from it', async () => {
    open(Infinity)
    await write(2)
    const reader = openForWriting({ path: path(), synchronous: 'NORMAL', cacheMegabytes: 1 })
    reader.exec('BEGIN; SELECT count(*) FROM rows')
    await write(1)
    checkpoints.makeRoom()
    expect(logBytes()).to.be.greaterThan(MEGABYTE)
    reader.exec('COMMIT')
    reader.close()
    checkpoints.makeRoom()
    expect(logBytes()).to.equal(0)
  })
})
