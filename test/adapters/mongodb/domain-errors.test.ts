/** Which errors of the driver are trouble of the connection, and which are the fault of what was asked or written. */
import { expect } from 'chai'
import { MongoBulkWriteError, MongoClient, MongoNetworkError, MongoServerError } from 'mongodb'
import { asDomainError, asWriteError, isDuplicate } from '../../../src/adapters/mongodb/domain-errors.ts'
import { insertNew } from '../../../src/adapters/mongodb/outbox/outbox-changes.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { failureOf } from '../../engines/mongodb-openers.ts'
import { helloOf, mongoWire } from '../../engines/mongo-wire.ts'

/** As the driver wraps what ends a bulk write. */
const wrapped = (error: Error) => new MongoBulkWriteError(error, undefined as never)

describe('errors of the MongoDB driver', () => {
  for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND'])
    it(`are trouble when the system says ${code}, also within a bulk write`, () => {
      const error = Object.assign(new Error(`write ${code}`), { code })
      for (const one of [error, wrapped(error)]) {
        expect(asDomainError(one)).to.be.instanceOf(Unavailable)
        expect(asWriteError(one)).to.be.instanceOf(Unavailable)
      }
    })

  it('are trouble when a bulk write ended by the network, by a server that is no primary, or by a fault of its own', () => {
    for (const error of [
      wrapped(new MongoNetworkError('read ECONNRESET')),
      wrapped(new MongoServerError({ message: 'not primary', code: 10_107 })),
      new MongoServerError({ message: 'database schema has changed', code: 1 }),
    ])
      expect(asDomainError(error)).to.be.instanceOf(Unavailable)
  })

  it('are trouble for who writes unless they are about a document', () => {
    const unauthorized = new MongoServerError({ message: 'not authorized', code: 13 })
    expect(asDomainError(unauthorized)).to.equal(unauthorized)
    expect(asWriteError(unauthorized)).to.be.instanceOf(Unavailable)
    const refused = new MongoServerError({ message: 'too many keys', code: 201 })
    expect(asWriteError(refused)).to.equal(refused)
  })

  it('are what they are when they are ours', () => {
    for (const error of [new TypeError('x is undefined'), new Error('merge of a Key that is not there')])
      expect(asWriteError(error)).to.equal(error)
  })

  it('do not pass for duplicates alone when the write was not replicated either', async () => {
    const duplicate = { index: 0, code: 11_000, keyPattern: { _id: 1 }, errmsg: 'E11000 duplicate key error' }
    const notReplicated = {
      code: 64,
      codeName: 'WriteConcernFailed',
      errmsg: 'waiting for replication timed out',
    }
    const wire = await mongoWire({
      onCommand: ({ $name }) => {
        if (/^(hello|ismaster)$/i.test($name)) return helloOf(wire.port)
        if ($name !== 'insert') return { ok: 1 }
        return { n: 1, writeErrors: [duplicate], writeConcernError: notReplicated, ok: 1 }
      },
    })
    const client = new MongoClient(`mongodb://127.0.0.1:${wire.port}/?replicaSet=rs0`)
    try {
      const into = client.db('test').collection<{ _id: string }>('messages')
      const failure = await failureOf(insertNew(into, [{ _id: 'one' }, { _id: 'two' }]))
      expect(failure).to.be.instanceOf(MongoBulkWriteError).and.include({ code: 64 })
      expect(isDuplicate(failure)).to.equal(false)
    } finally {
      await client.close()
      await wire.stop()
    }
  })
})
