/** Whether the console is built, and what of it a browser loads first. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const DIST = join(import.meta.dirname, '..', '..', '..', 'console', 'dist')
export const isBuilt = existsSync(join(DIST, 'index.html'))

/** Bytes, packed by gzip, of what the page names: its scripts and styles. */
export function firstLoad(): number {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8')
  const names = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, name]) => name!)
  // What is small is not packed.
  const sizeOf = (name: string) => {
    const packed = join(DIST, `${name}.gz`)
    return statSync(existsSync(packed) ? packed : join(DIST, name)).size
  }
  return names.reduce((sum, name) => sum + sizeOf(name), 0)
}
