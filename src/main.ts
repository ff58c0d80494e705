/**
 * The entry. Compiled code is kept between starts: a start then takes half the time, and no thread needs the compiler
 * that strips types, some 18 MB each.
 */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'daybook')
enableCompileCache(cache)
// Threads know it by the environment only.
process.env['NODE_COMPILE_CACHE'] ??= cache

const { serve } = await import('./serve.ts')
await serve()
