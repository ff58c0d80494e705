/**
 * The entry. Compiled code is kept between starts: a start then takes half the time, and no thread needs the compiler
 * that strips types, some 14 MB each, which it would keep for as long as it runs. For the same reason this file is not TypeScript, and what is not compiled yet is compiled first, by a process that ends with its compiler.
 *
 * What an earlier Node does not have is imported once the version is known.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `Daybook cannot start: it needs Node ${OLDEST} or later, and this is ${process.version}. After npm ci, npm start uses the Node that comes with the packages.\n`,
  )
  process.exit(1)
}

const [argument] = process.argv.slice(2)
if (argument !== undefined) {
  const isHelp = argument === '--help' || argument === '-h'
  const usage = `usage: npm start

Starts the service. It has no options: its settings come from the environment, as in
  PORT=4000 DATA_DIR=./data npm start
README.md lists them below "Settings", with their defaults.
`
  if (isHelp) process.stdout.write(usage)
  else process.stderr.write(`${argument}: the service takes no arguments.\n\n${usage}`)
  process.exit(isHelp ? 0 : 2)
}

const { setFlagsFromString } = await import('node:v8')
const { enableCompileCache } = await import('node:module')
const { cacheFolder, isCompiled } = await import('./compiled.js')

// Collecting what is young takes longer to share out among threads than to do.
setFlagsFromString('--no-parallel-scavenge')

enableCompileCache(cacheFolder)
// Threads know it by the environment only.
process.env['NODE_COMPILE_CACHE'] ??= cacheFolder
// Whatever comes of it: without it everything is compiled on the way.
if (!isCompiled()) spawnSync(process.execPath, [join(import.meta.dirname, 'compile.js')], { stdio: 'ignore' })

const { serve } = await import('./compose/serve.ts')
await serve()
