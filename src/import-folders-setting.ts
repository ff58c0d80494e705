/** Folders that companies may have files picked up from: `<company>/<name>=<path>`, separated by commas. */
import { z } from 'zod'

const FOLDER = /^company-[0-9a-z]{26}\/[A-Za-z0-9_-]{1,60}=\/[^=]+$/

/** Paths by company and name, as `<company>/<name>`. */
export const importFolders = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  )
  .refine(
    (folders) => folders.every((one) => FOLDER.test(one)),
    'must be folders such as company-…/bank=/mnt/bank, separated by commas',
  )
  .transform((folders) => new Map(folders.map((one) => one.split('=', 2) as [string, string])))
