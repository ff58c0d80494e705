/**
 * Compiles all sources into the folder that `main.js` and its threads take them from, and runs none of them. A container
 * image does this when it is built.
 */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { pathToFileURL } from 'node:url'
import { cacheFolder, noteCompiled, sources } from './compiled.js'

enableCompileCache(cacheFolder)
// Modules are all compiled before the first of them runs, and when that one fails, no other does.
const modules = [
  'data:text/javascript,throw "compiled"',
  ...sources().map((file) => pathToFileURL(file).href),
]
const everything = modules.map((url) => `import ${JSON.stringify(url)}`).join('\n')
try {
  await import(`data:text/javascript,${encodeURIComponent(everything)}`)
} catch (reason) {
  if (reason !== 'compiled') throw reason
}
flushCompileCache()
noteCompiled()
