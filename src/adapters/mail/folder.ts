/** Mails as `.eml` files in a folder: what a service does that was given no server. Mail programs open them. */
import { mkdirSync, renameSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mailer } from '../../ports/sending/mailer.ts'

export function mailFolder(folder: string): Mailer {
  const nameOf = (messageId: string) => `${messageId.replace(/[^\w.-]/g, '_')}.eml`
  return {
    async send({ bytes, messageId }) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const name = nameOf(messageId)
      const file = await open(join(folder, `.${name}`), 'w', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      renameSync(join(folder, `.${name}`), join(folder, name))
      return `250 kept as ${name}`
    },
    forget: (messageId) => rm(join(folder, nameOf(messageId)), { force: true }),
    close: () => {},
  }
}
