/**
 * The bound of a service on Express and SQLite: what is left when everything that Daybook does between them is left out.
 *
 * One table, one index, JSON documents as they are sent; no authentication, no checks, no history, no read model. A
 * write is one row and one commit at synchronous=FULL, as durable as Daybook's own; or one commit for all writes of a turn of the
 * event loop, which is as much as such a service can do.
 * Run as `express-sqlite.ts <folder> <documents>`.
 */
import express from 'express'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { companyOfSize, contractBody } from '../../scripts/demo/company.ts'
import { contractDocument, keysOfBound } from './documents.ts'

const [folder = '.', documents = '0'] = process.argv.slice(2)
const count = Number(documents)
const db = new DatabaseSync(join(folder, 'bound.db'))
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
  CREATE TABLE documents (n INTEGER PRIMARY KEY, id TEXT NOT NULL, document TEXT NOT NULL);
  CREATE UNIQUE INDEX documents_id ON documents (id)`)

const insert = db.prepare('INSERT INTO documents (id, document) VALUES (?, ?)')
const company = companyOfSize(count / 10_000, { number: 1, today: '2026-01-01' })
const keys = keysOfBound(company)
db.exec('BEGIN')
for (let i = 0; i < count; i++) {
  const key = `contract-${i}`
  insert.run(key, JSON.stringify(contractDocument(key, contractBody(company, i, keys))))
}
db.exec('COMMIT')

const find = db.prepare('SELECT document FROM documents WHERE id = ?')
let next = count

/** Answers that wait for the commit of this turn. */
const waiting: (() => void)[] = []
const commit = () => {
  db.exec('COMMIT')
  for (const answer of waiting.splice(0)) answer()
}

const app = express()
  .disable('x-powered-by')
  .disable('etag')
  .get('/contract/:key', (request, response) => {
    const row = find.get(request.params.key)
    if (!row) return void response.status(404).json({ Success: false })
    response.type('json').send(`{"Success":true,"Data":${row['document'] as string}}`)
  })
  .post('/contract', express.json(), (request, response) => {
    const key = `contract-${next++}`
    const json = JSON.stringify(contractDocument(key, request.body as Record<string, unknown>))
    insert.run(key, json)
    response.status(201).type('json').send(`{"Success":true,"Data":${json}}`)
  })
  // The same with one commit for all that came in one turn of the event loop.
  .post('/grouped', express.json(), (request, response) => {
    if (waiting.length === 0) {
      db.exec('BEGIN')
      setImmediate(commit)
    }
    const key = `contract-${next++}`
    const json = JSON.stringify(contractDocument(key, request.body as Record<string, unknown>))
    insert.run(key, json)
    waiting.push(() => void response.status(201).type('json').send(`{"Success":true,"Data":${json}}`))
  })

const server = app.listen(0, '127.0.0.1', () =>
  console.log(`ready on port ${(server.address() as AddressInfo).port}`),
)
