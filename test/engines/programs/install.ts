/**
 * Installs the programs that pages and examples are checked with: nginx, Caddy, promtool, systemd-analyze, strace, sqlite3,
 * PHP and Ruby.
 *
 *     node test/engines/programs/install.ts
 *
 * Needs Debian or Ubuntu and root. No service is started. Each that cannot be installed is named, and the others are there all the same.
 */
import { installing, installPackage } from '../apt-package.ts'
import { isThere, PROGRAMS } from './programs.ts'

installing('The programs of the pages', async () => {
  const failed: string[] = []
  for (const program of Object.values(PROGRAMS)) {
    if (isThere(program)) continue
    try {
      for (const name of program.packages) await installPackage(name)
    } catch (error) {
      const { message, stderr } = error as { message: string; stderr?: string }
      failed.push(`${program.name}: ${stderr?.trim() || message}`)
      continue
    }
    if (!isThere(program)) failed.push(`${program.name}: its package has not brought it`)
  }
  if (failed.length > 0) throw new Error(failed.join('\n'))
  console.log(
    `${Object.values(PROGRAMS)
      .map(({ name }) => name)
      .join(', ')} are installed`,
  )
})
