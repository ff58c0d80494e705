/**
 * Loaded with every run: compiled code is kept, as the service keeps its own. Otherwise each thread and each script that a test
 * starts compiles its sources again.
 */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { cacheFolder } from '../../src/compiled.js'

enableCompileCache(cacheFolder)
// Threads and processes know it by the environment only.
process.env['NODE_COMPILE_CACHE'] ??= cacheFolder

export const mochaHooks = {
  // A process that runs tests beside others is ended before it would keep what it has compiled.
  afterAll() {
    flushCompileCache()
  },
}
