/** Makes the search of a file of records; see `search-beside.ts`. */
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { fillSearch, searchedObjects } from './fill-search.ts'
import { openForBuilding } from '../../files/open.ts'
import type { FromSearchBeside, SearchBesideData } from './search-beside.ts'
import { createSearchTable } from './search-index.ts'

const data = workerData as SearchBesideData
const say = (word: FromSearchBeside) => parentPort!.postMessage(word)

const searched = searchedObjects(new Map(data.definitions.map((one) => [one.object, one])))
const search = openForBuilding(data.search)
for (const definition of searched) createSearchTable(search, definition)

// The builder, who has locked the file, writes on: indexes, behind the pages that are read here. One transaction, in
// which neither the schema nor the length of the file is looked at again.
const url = pathToFileURL(data.records)
url.searchParams.set('immutable', '1')
const records = new DatabaseSync(url, { readOnly: true })
records.exec('BEGIN')
records.prepare('SELECT count(*) FROM sqlite_schema').get()
say('reading')
for (const definition of searched) fillSearch(records, search, definition)
records.exec('COMMIT')
records.close()
search.close()
say('made')
