/**
 * `npm run backup <DATA_DIR> <target folder>`: copies the events while the service runs. To restore, start the service
 * on the target folder (`DATA_DIR=<target folder> npm start`): it builds everything else from them.
 */
import { backupEventFile } from './backup/backup-event-file.ts'

const [dataDir, target, ...more] = process.argv.slice(2)
if (dataDir === undefined || target === undefined || more.length > 0) {
  console.error('usage: npm run backup <DATA_DIR> <target folder>')
  process.exitCode = 2
} else
  try {
    const { path, events, head } = await backupEventFile(dataDir, target)
    console.log(`${path}: ${events} events, up to position ${head}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
