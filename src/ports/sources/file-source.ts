/** Where files are picked up from: a folder, a server. Proven by `test/contracts/file-source.ts`. */

export interface SourceFile {
  readonly name: string
  readonly bytes: number
  /** Compared with itself only: clocks differ. */
  readonly modified: number
  /** Another for a file that took its name, where the source knows it. */
  readonly identity: string
}

export interface FileSource {
  /** The files of the folder, not of those below. @throws Unavailable when it cannot be looked at now */
  list(): Promise<readonly SourceFile[]>
  /** As it is now; undefined: it is not there any more. */
  stat(name: string): Promise<SourceFile | undefined>
  open(name: string): AsyncIterable<Uint8Array>
  /** Moves a file into a folder below, which is made. @throws Error when it cannot be moved, also over another file */
  move(name: string, folder: string, as: string): Promise<void>
  close(): Promise<void>
}
