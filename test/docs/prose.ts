/** What people read of this repository: comments and texts of its code, and its pages. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

export const ROOT = join(import.meta.dirname, '..', '..')

export const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

export const codeFiles = (folders: string) =>
  globSync(`${folders}/**/*.{ts,js}`, { cwd: ROOT })
    .filter((file) => !file.includes('node_modules'))
    .sort()

export const pages = () => ['CHANGELOG.md', 'README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].sort()

/** The comments of a source, without their stars, each in one line. */
export function commentsOf(source: string): string[] {
  return [...source.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ [^\n]*(?:\n\s*\/\/ [^\n]*)*/g)].map(([text]) =>
    text
      .replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

/** The texts that a source may show to somebody: string literals and parts of templates, but no paths of modules. */
export function stringsOf(source: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest))
  return found
}

/** The prose of a page: no code, neither blocks nor spans. */
export function proseOf(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '`…`')
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: string): string[] {
  return [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
