/** The PostgreSQL of a test run: one that is started for the suite, if it is installed. */
import { installedVersion } from './postgres/binary.ts'
import { startPostgres, type Postgres } from './postgres/start.ts'

export const postgresVersion = await installedVersion()

export const NO_POSTGRES = 'run: node test/engines/postgres/install.ts'

export interface PostgresUnderTest {
  /** For titles. */
  readonly name: string
  readonly server: () => Postgres
  start(): Promise<void>
  stop(): Promise<void>
}

/** Undefined when there is none to test against. */
export function postgresUnderTest(): PostgresUnderTest | undefined {
  if (postgresVersion === undefined) return undefined
  let server: Postgres | undefined
  return {
    name: `PostgreSQL ${postgresVersion}`,
    server: () => server!,
    async start() {
      server = await startPostgres()
    },
    async stop() {
      await server?.stop()
    },
  }
}
