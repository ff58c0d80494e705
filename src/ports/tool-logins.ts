/**
 * Logins by which tools of analysts (BI) read the warehouse with its own protocol: each sees one company's rows, and the tables
 * and columns that it is given. The engine keeps them; whose they are is a record of the service (`identity/tool-logins`).
 */
import type { Company } from '../domain/events/event.ts'

/** Tables that may be read, with the columns of them. */
export type Readable = { readonly [table: string]: readonly string[] }

/** Whose login it is: the Key of the record that says what it may do. */
export interface ToolLoginOf {
  readonly company: Company
  readonly key: string
}

export interface ToolLogin extends ToolLoginOf {
  /** The name that it logs in by. It names no company. */
  readonly login: string
  /** When it was made, in ms since 1970. */
  readonly madeAt: number
}

/** Where tools connect. */
export interface ToolServer {
  readonly host: string
  readonly port: number
  readonly database: string
}

/** Every call throws Unavailable when the server cannot be reached. */
export interface ToolLogins {
  readonly server: ToolServer

  /** Makes the login, or gives the one that is there this password. The name that it has. */
  make(of: ToolLoginOf, as: { readonly password: string; readonly readable: Readable }): Promise<string>

  /** All, of all companies. */
  list(): Promise<readonly ToolLogin[]>

  /** What the login sees from its next statement on; nothing happens when it sees exactly this. */
  allow(of: ToolLoginOf, readable: Readable): Promise<void>

  /** It sees nothing from then on, and its sessions end. Nothing happens when it is not there. */
  drop(of: ToolLoginOf): Promise<void>

  /** Ends sessions that have stood idle in a transaction, or run one statement, for too long. How many. */
  endLong(): Promise<number>
}
