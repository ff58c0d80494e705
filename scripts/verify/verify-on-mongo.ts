/**
 * Are the read models that MongoDB serves what the events say? Held against those that the embedded projections make of the
 * same events, record by record, while the service runs and others write (`rounds.ts`).
 *
 * A record that differs is newer, not wrong, only if it shows an event after the position at which the two are compared, or
 * looks up a record whose name has changed since, or whose new name was then still on its way.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableOf } from '../../src/adapters/sqlite/read-models/columns.ts'
import { checkpointOf } from '../../src/adapters/mongodb/checkpoint.ts'
import { connect, type Connection } from '../../src/adapters/mongodb/connection.ts'
import { generationOf } from '../../src/adapters/mongodb/read-models/generation-of.ts'
import { asDomainError } from '../../src/adapters/mongodb/domain-errors.ts'
import { mongoReadModels } from '../../src/adapters/mongodb/read-models/read-models.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Position, RecordedEvent } from '../../src/domain/events/event.ts'
import type { Fields, Json } from '../../src/domain/json.ts'
import { READ_MODEL_PROJECTIONS } from '../../src/projections/read-model-projections.ts'
import { recordsProjection } from '../../src/projections/records.ts'
import { backupEventFile } from '../backup/backup-event-file.ts'
import { arrivalOf } from './arrival.ts'
import { buildReadModels } from './build-read-models.ts'
import type { TableReport } from './compare-files.ts'
import { followReadModels } from './follow-read-models.ts'
import { countEvents, openLog } from './log.ts'
import { openDump, type Dump, type Named, type Row } from './read-model-dump.ts'
import { inRounds } from './rounds.ts'
import { verificationOf, type DataDirOf, type Verification } from './verify-data-dir.ts'

export interface OnMongoOf extends DataDirOf {
  readonly mongoUrl: string
  /** See `rounds.ts`. */
  readonly patienceMs?: number | undefined
}

/** @throws Error when they cannot be compared: see `arrival.ts` and `rounds.ts` */
export async function verifyOnMongo({
  dataDir,
  definitions,
  eventStoreUrl,
  mongoUrl: url,
  patienceMs,
}: OnMongoOf): Promise<Verification> {
  const log = await openLog({ dataDir, eventStoreUrl })
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-verify-'))
  const readModels = await mongoReadModels({ url, definitions, projections: READ_MODEL_PROJECTIONS })
  const connection = connect({ url, definitions })
  const open: { close(): unknown }[] = [log, readModels, connection]
  try {
    const head = await log.head()
    if (eventStoreUrl === undefined) await backupEventFile(dataDir, scratch)
    const path = await buildReadModels({ dataDir: scratch, definitions, eventStoreUrl, head })
    const truth = followReadModels({ path, definitions, log })
    open.push(truth)
    const dump = openDump(join(scratch, 'compared.db'), definitions)
    open.push(dump)
    const wrong = new Map<string, Named>()
    const { project } = recordsProjection(definitions)
    const isRenamed = (event: RecordedEvent) => project(event).some(({ op }) => op === 'fanOut')
    await connection.ready()
    const { generation } = connection
    const checkpoint = checkpointOf(connection.checkpoints, () => generation, connection.shares)
    const status = async () => {
      const [statuses, { positions }] = [await readModels.status(), await checkpoint.read()]
      return statuses.map((one) => ({ ...one, position: positions.get(one.name) ?? 0 }))
    }
    /** What is served no more is kept up to date only for a while, and then removed. */
    const checkServed = async () => {
      const base = generationOf(definitions)
      const served = (await connection.serving.findOne({ _id: base }))?.generation ?? base
      if (served !== generation) throw new Error('the read models were rebuilt meanwhile: compare them again')
    }

    const round = async (left?: readonly Named[]): Promise<readonly Named[]> => {
      const reached = await arrivalOf(status, await truth.position())
      // Behind its last event there may be places of the log at which none stands.
      const at = Math.max(await truth.position(), Math.min(reached, await log.head()))
      // Asked for after the position: what was renamed up to there is among them, or shown.
      const moved = await renamesUnderWay(connection)
      await dump.keep(connection, left)
      const end = await log.head()
      await checkServed()
      await truth.bringTo(at)
      dump.rebuild(path, left)
      for await (const { events } of log.between(at, end))
        for (const event of events) if (isRenamed(event)) moved.add(event.stream)
      const asked = left && new Set(left.map(nameOf))
      const newer: Named[] = []
      for (const one of dump.unequal()) {
        if (wrong.has(nameOf(one)) || asked?.has(nameOf(one)) === false) continue
        if (mayBeNewer({ dump, definitions, one, at, end, moved })) newer.push(one)
        else wrong.set(nameOf(one), one)
      }
      if (left === undefined || end === at) return newer
      // Few are left, and written all the time: each is held against what it was to be at its own last event.
      const stops = Map.groupBy(newer, (one) => dump.rowsOf('kept', one)[0]!.position!)
      for (const [stop, own] of [...stops].sort(([one], [other]) => one - other)) {
        if (stop <= at) continue
        await truth.bringTo(stop)
        dump.rebuild(path, own)
      }
      const unequal = new Set(dump.unequal().map(nameOf))
      return newer.filter((one) => unequal.has(nameOf(one)))
    }
    await inRounds(round, ({ key }) => key, patienceMs).catch((error: unknown) => {
      // What is known to differ is told, whatever else may be.
      if (wrong.size === 0) throw error
    })
    const tables = [...definitions.values()].flatMap(({ object }) =>
      reportOf(dump, definitions, object, [...wrong.values()]),
    )
    return verificationOf(await countEvents(log, await truth.position()), tables)
  } catch (error) {
    throw asDomainError(error)
  } finally {
    for (const one of open.toReversed()) await one.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

const nameOf = ({ object, company, key }: Named) => `${object} ${company} ${key}`

/** The records whose new names are not yet shown by all that look them up. */
async function renamesUnderWay(connection: Connection): Promise<Set<string>> {
  const found = await connection.fanOuts.find().toArray()
  return new Set(found.map(({ key }) => key))
}

interface Judged {
  readonly dump: Dump
  readonly definitions: Definitions
  readonly one: Named
  /** Of what was rebuilt; the kept were read when they had come as far. */
  readonly at: Position
  /** The last event that there was when they had been read. */
  readonly end: Position
  readonly moved: ReadonlySet<string>
}

function mayBeNewer({ dump, definitions, one, at, end, moved }: Judged): boolean {
  const [kept, another] = dump.rowsOf('kept', one)
  const [rebuilt] = dump.rowsOf('rebuilt', one)
  if (!kept || another || kept.position === undefined || kept.position > end) return false
  if (kept.position > at) return true
  const lookups = definitions.get(one.object)!.fields.filter(({ type }) => type === 'lookup')
  return [kept, rebuilt].some((row) => {
    const record = row ? (JSON.parse(row.json) as Fields) : {}
    return lookups.some(({ name }) => moved.has(keyIn(record[name])))
  })
}

const keyIn = (shown: Json | undefined): string =>
  (shown as { readonly Id: string } | null | undefined)?.Id ?? ''

const NAMED = 5

function reportOf(
  dump: Dump,
  definitions: Definitions,
  object: string,
  wrong: readonly Named[],
): TableReport[] {
  const equal = dump.equal(object)
  const own = wrong.filter((one) => one.object === object)
  const sides = own.map((one) => ({ kept: dump.rowsOf('kept', one), rebuilt: dump.rowsOf('rebuilt', one) }))
  const table = tableOf(definitions.get(object)!).replaceAll('"', '')
  return [false, true].map((deleted) => {
    const only = (side: readonly Row[], other: readonly Row[], where: string) => {
      const texts = other.filter((row) => row.deleted === deleted).map(({ text }) => text)
      const extra = side.filter((row) => row.deleted === deleted && !takeOut(texts, row.text))
      return extra.map(({ text }) => `only in the ${where}: ${text.slice(0, 600)}`)
    }
    const differences = [
      ...sides.flatMap(({ kept, rebuilt }) => only(kept, rebuilt, 'kept')).slice(0, NAMED),
      ...sides.flatMap(({ kept, rebuilt }) => only(rebuilt, kept, 'rebuilt')).slice(0, NAMED),
    ]
    const rows =
      (deleted ? equal.deleted : equal.live) +
      sides.reduce((sum, { kept }) => sum + kept.filter((row) => row.deleted === deleted).length, 0)
    return { table: deleted ? `${table} (deleted)` : table, rows, differences }
  })
}

/** Removes the text once; false when it is not there. */
function takeOut(texts: string[], text: string): boolean {
  const place = texts.indexOf(text)
  if (place >= 0) texts.splice(place, 1)
  return place >= 0
}
