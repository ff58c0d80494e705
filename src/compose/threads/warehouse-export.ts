/** A thread for one export from PostgreSQL, or one snapshot. */
import { parentPort, workerData } from 'node:worker_threads'
import { runExport, type ExportJob } from '../../adapters/postgres/export/export-rows.ts'
import { snapshotToFile } from '../warehouse/snapshot.ts'

runExport(workerData as ExportJob, parentPort!, snapshotToFile)
