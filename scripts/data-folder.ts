/** The folder that a command works on: the one that it is given, else the service's own, `DATA_DIR`. */
import { readConfig, type Config } from '../src/config.ts'

/** For the usage of every command that works on a folder of data. */
export const FOLDER_USAGE = 'Without a folder it is that of the service: DATA_DIR, else ./data.'

/** The settings as the service reads them, with this folder in the place of `DATA_DIR`. @throws Error of settings that are wrong */
export function configOn(folder: string | undefined): Config {
  return readConfig(folder === undefined ? process.env : { ...process.env, DATA_DIR: folder })
}
