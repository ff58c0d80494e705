/**
 * `npm run test:engines`: the contract suites and the system story on the engines that the environment names, and on
 * those that are installed here. Says loudly what is not tested.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ENGINES = ['EVENTSTORE_URL', 'MONGODB_URL', 'RABBITMQ_URL']
const root = join(import.meta.dirname, '..', '..')

const tell = () => {
  for (const name of ENGINES)
    console.log(
      process.env[name]
        ? `${name} is set: its server is tested.`
        : `${name} IS NOT SET: a stand-in is tested, if it is installed.`,
    )
}
tell()

const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
    '--config',
    join(root, 'test', 'runs', 'engines.cjs'),
  ],
  { cwd: root, stdio: 'inherit' },
)
// Once more: what was told first has scrolled away.
tell()
process.exitCode = status ?? 1
