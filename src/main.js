/**
 * The entry. Compiled code is kept between starts: a start then takes half the time, and no thread needs the compiler
 * that strips types, some 14 MB each, which it would keep for as long as it runs. For the same reason this file is not TypeScript, and what is not compiled yet is compiled first, by a process that ends with its compiler.
 */
import { spawnSync } from 'node:child_process'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { cacheFolder, isCompiled } from './compiled.js'

enableCompileCache(cacheFolder)
// Threads know it by the environment only.
process.env['NODE_COMPILE_CACHE'] ??= cacheFolder
// Whatever comes of it: without it everything is compiled on the way.
if (!isCompiled()) spawnSync(process.execPath, [join(import.meta.dirname, 'compile.js')], { stdio: 'ignore' })

const { serve } = await import('./compose/serve.ts')
await serve()
