/**
 * The dependency rule (`.dependency-cruiser.mjs`) and the shape of source files, checked over all of `src`.
 *
 * A cruise that cannot read TypeScript finds nothing wrong and says so, hence it is also counted what was read.
 */
import { readFileSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import ts from 'typescript'
import { MOST_LINES, STILL_LONG } from '../eslint.config.mjs'

const ROOT = join(import.meta.dirname, '..')
const MAX_LINES = 300
const MAX_FILES = 20
const MAX_DEPTH = 15
/** Wiring, and no more of it than there is (`docs/decisions/wiring.md`). */
const COMPOSE_LINES = {
  'src/compose': 950,
  'src/compose/parts': 1_370,
  'src/compose/threads': 500,
  'src/compose/warehouse': 260,
  'src/compose/webhooks': 275,
}

const files = globSync('src/**/*.{ts,js}', { cwd: ROOT }).sort()
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** What is wrong by these rules, as `<rule>: <from> -> <to>`, and every module that was read. */
async function cruiseSources(change: (options: ICruiseOptions) => ICruiseOptions = (options) => options) {
  const options = await extractDepcruiseOptions(join(ROOT, '.dependency-cruiser.mjs'))
  const { output } = await cruise(['src'], change({ ...options, baseDir: ROOT }), undefined, {
    tsConfig: extractTSConfig(join(ROOT, 'tsconfig.json')),
  })
  const { modules, summary } = output as ICruiseResult
  return {
    modules: modules.filter(({ source }) => source.startsWith('src/')),
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  }
}

describe('the dependency rule', () => {
  let cruised: Awaited<ReturnType<typeof cruiseSources>>
  before(async () => {
    cruised = await cruiseSources()
  })

  it('is kept', () => expect(cruised.violations).to.deep.equal([]))

  it('was checked on every file, and every import was found', () => {
    expect(files.length).to.be.greaterThan(50)
    expect(cruised.modules.map(({ source }) => source).sort()).to.deep.equal(files)
    const unresolved = cruised.modules.flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ couldNotResolve }) => couldNotResolve)
        .map(({ module }) => `${source}: ${module}`),
    )
    expect(unresolved).to.deep.equal([])
  })

  it('is seen when it is broken, by an import of types too', async () => {
    // Rules against what is allowed: an import of a function, and one of nothing but a type.
    const { violations } = await cruiseSources((options) => ({
      ...options,
      ruleSet: {
        forbidden: [
          {
            name: 'no-record',
            severity: 'error',
            from: { path: 'domain/fields/changes' },
            to: { path: 'domain/records/record' },
          },
          {
            name: 'no-json',
            severity: 'error',
            from: { path: 'domain/events/event' },
            to: { path: 'domain/json' },
          },
        ],
      },
    }))
    expect(violations).to.have.members([
      'no-record: src/domain/fields/changes.ts -> src/domain/records/record.ts',
      'no-json: src/domain/events/event.ts -> src/domain/json.ts',
    ])
  })

  it(`has no chain of more than ${MAX_DEPTH} files that import one another inside a folder of src`, () => {
    const inside = new Map(
      cruised.modules.map(({ source, dependencies }) => {
        const folder = source.split('/', 2).join('/')
        return [
          source,
          dependencies.map(({ resolved }) => resolved).filter((to) => to.startsWith(`${folder}/`)),
        ]
      }),
    )
    const depths = new Map<string, number>()
    const depthOf = (file: string): number => {
      const depth = depths.get(file) ?? 1 + Math.max(0, ...(inside.get(file) ?? []).map(depthOf))
      depths.set(file, depth)
      return depth
    }
    expect(files.filter((file) => depthOf(file) > MAX_DEPTH)).to.deep.equal([])
    expect(Math.max(...depths.values())).to.be.above(5)
  })

  it('leaves the domain to itself: no package, and nothing of Node either', () => {
    const strangers = cruised.modules
      .filter(({ source }) => source.startsWith('src/domain/'))
      .flatMap(({ source, dependencies }) =>
        dependencies
          .filter(({ resolved }) => !resolved.startsWith('src/domain/'))
          .map(({ module }) => `${source}: ${module}`),
      )
    expect(strangers).to.deep.equal([])
  })
})

describe('every source file', () => {
  const those = (wrong: (text: string) => boolean) => files.filter((file) => wrong(textOf(file)))

  it('begins with a comment that says what it is', () =>
    expect(those((text) => !/^\/\*\*\s*[\s\S]{20,}?\*\//.test(text))).to.deep.equal([]))

  it(`has at most ${MAX_LINES} lines`, () =>
    expect(those((text) => text.trimEnd().split('\n').length > MAX_LINES)).to.deep.equal([]))

  it('exports names: nothing by default', () =>
    expect(those((text) => /^export default /m.test(text))).to.deep.equal([]))

  it(`lies in a folder of at most ${MAX_FILES} files`, () => {
    const folders = Map.groupBy(files, (file) => dirname(file))
    expect(
      [...folders].filter(([, { length }]) => length > MAX_FILES).map(([folder]) => folder),
    ).to.deep.equal([])
  })
})

describe('compose', () => {
  for (const [folder, most] of Object.entries(COMPOSE_LINES))
    it(`has at most ${most} lines in ${folder}: what it chooses works elsewhere`, () => {
      const texts = files.filter((file) => dirname(file) === folder).map((file) => textOf(file).trimEnd())
      expect(texts.length).to.be.above(0)
      expect(texts.reduce((sum, text) => sum + text.split('\n').length, 0)).to.be.at.most(most)
    })
})

describe('functions', () => {
  /** The most lines that a function of the source has. */
  const longest = (text: string): number => {
    const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest)
    let most = 0
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) {
        const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line
        most = Math.max(most, lineOf(node.end) - lineOf(node.getStart(source)) + 1)
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
    return most
  }

  it(`have at most ${MOST_LINES} lines; no file is excused that need not be`, () => {
    const sources = globSync('{src,scripts,bench}/**/*.ts', { cwd: ROOT }).sort()
    expect(sources.filter((file) => longest(textOf(file)) > MOST_LINES)).to.deep.equal(STILL_LONG)
  })
})
