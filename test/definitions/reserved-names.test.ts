/**
 * No object of a company's own can have a name that the service stores its own events under: both would be read as one, for ever.
 * The corpus has an event of every shape that is stored.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { RESERVED_OBJECTS } from '../../src/definitions/schema.ts'
import { nameOfStream } from '../../src/domain/events/stream-name.ts'

const root = join(import.meta.dirname, '..', '..')
const corpus = join(root, 'test', 'corpus')

/** What comes before the first hyphen of a stream's name, or the first dot of a type. */
const firstPart = (name: string) => /^[a-z]+/.exec(name)![0]

interface Kept {
  readonly stored: { readonly stream: string; readonly type: string }
}

describe('names that objects cannot have', () => {
  const shipped = loadDefinitions([join(root, 'definitions')])

  it('are those of the objects that the service has inside', () =>
    expect(RESERVED_OBJECTS).to.include.members([...withInternal(new Map()).keys()]))

  it('are those of the streams and types of its events', () => {
    const names = readdirSync(corpus)
      .map((file) => JSON.parse(readFileSync(join(corpus, file), 'utf8')) as Kept)
      .flatMap(({ stored: { stream, type } }) => [firstPart(nameOfStream(stream) ?? stream), firstPart(type)])
    const own = [...new Set(names)].filter((name) => !shipped.has(name))
    expect(own).to.include.members(['claim', 'numbering'])
    expect(RESERVED_OBJECTS).to.include.members(own)
  })
})
