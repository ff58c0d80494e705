/** How definitions are read from folders, and how it is said where they are wrong. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { DefinitionError } from '../../src/definitions/definition-error.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { asset, assetWith, definitionFiles, type DefinitionFiles } from './definition-files.ts'

describe('loading definitions', () => {
  let files: DefinitionFiles
  beforeEach(() => (files = definitionFiles()))
  afterEach(() => files.remove())

  describe('from folders', () => {
    it('reads every file, ordered by application and object', () => {
      const named = (object: string, name: string, application: string) => ({
        ...asset,
        object,
        name,
        application,
      })
      files.given({
        'set/B/zebra.json': named('zebra', 'Zebra', 'B'),
        'set/B/ape.json': named('ape', 'Ape', 'B'),
        'set/A/wolf.json': named('wolf', 'Wolf', 'A'),
      })
      expect([...files.load('set').keys()]).to.deep.equal(['wolf', 'ape', 'zebra'])
    })

    it('lets a later folder add objects and replace those of the same name, whatever their application', () => {
      files.given({
        'set/Facility/asset.json': asset,
        'own/Assets/asset.json': { ...asset, application: 'Assets' },
        'own/Assets/tool.json': { ...asset, object: 'tool', name: 'Tool', application: 'Assets' },
      })
      const definitions = files.load('set', 'own')
      expect([...definitions.keys()]).to.deep.equal(['asset', 'tool'])
      expect(definitions.get('asset')?.application).to.equal('Assets')
    })

    it('refuses one object in two applications of a folder', () => {
      files.given({
        'set/A/asset.json': { ...asset, application: 'A' },
        'set/B/asset.json': { ...asset, application: 'B' },
      })
      expect(files.faults('set')).to.deep.equal([
        `set/B/asset.json: ${join(files.root, 'set/A/asset.json')} defines the object asset already`,
      ])
    })

    it('passes over hidden and other files, but not over a definition outside an application', () => {
      files.given({
        'set/Facility/asset.json': asset,
        'set/Facility/README.md': '# Assets',
        'set/.git/config.json': 'no definition',
        'set/definition.schema.json': {},
      })
      expect(files.faults('set')).to.deep.equal([])
      files.given({ 'set/tool.json': asset })
      expect(files.faults('set')).to.deep.equal([
        'set/tool.json: must be in a folder named after its application',
      ])
    })

    it('refuses a folder that is not there', () =>
      expect(files.faults('nowhere').join()).to.match(/^nowhere: cannot be read: ENOENT/))
  })

  it('takes the example of docs/definitions.md beside the objects that are shipped', () => {
    const text = readFileSync(new URL('../../docs/definitions.md', import.meta.url), 'utf8')
    files.given({ 'own/Leasing/parkingpermit.json': /```json\n([^]*?)```/.exec(text)?.[1] ?? '' })
    const shipped = fileURLToPath(new URL('../../definitions', import.meta.url))
    expect(loadDefinitions([shipped, join(files.root, 'own')]).get('parkingpermit')?.fields).to.have.length(9)
  })

  describe('says what is wrong', () => {
    it('with file, line, column and JSON path, everything in one message', () => {
      files.given({
        'set/Facility/asset.json': '{\n  "object": "asset",\n  "name": "Tool",\n}',
        'set/Facility/tool.json': JSON.stringify(
          { ...assetWith({ name: 'A', type: 'lookup', target: 'x' }), object: 'tool', name: 'Tool' },
          null,
          2,
        ),
      })
      expect(() => files.load('set')).to.throw(
        DefinitionError,
        [
          '2 faults in the definitions:',
          `  ${join(files.root, 'set/Facility/asset.json')}:4:1: is not JSON: expected a key in double quotes, found "}"`,
          `  ${join(files.root, 'set/Facility/tool.json')}:14:17 $.fields[1].target: there is no object x; there are asset, tool`,
        ].join('\n'),
      )
    })

    it('of a lookup, without blaming it for a target that is only faulty itself', () => {
      files.given({
        'set/Facility/asset.json': assetWith({ name: 'Tool', type: 'lookup', target: 'tool' }),
        'set/Facility/tool.json': { ...asset, object: 'tool', name: 'Tool', display: 'Nmae' },
      })
      expect(files.faults('set')).to.deep.equal([
        'set/Facility/tool.json $.display: there is no field Nmae; did you mean Name?',
      ])
    })

    it('of a file in the wrong place', () => {
      files.given({ 'set/Other/thing.json': asset })
      expect(files.faults('set')).to.deep.equal([
        'set/Other/thing.json $.object: must be thing, as the file is named',
        'set/Other/thing.json $.application: must be Other, as the folder is named',
      ])
    })
  })
})
