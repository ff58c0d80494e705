/** Programs of others that files and examples of the pages are checked with, and the packages of Debian that bring them. */
import { spawnSync } from 'node:child_process'

export interface Program {
  readonly name: string
  readonly packages: readonly string[]
  /** A command that succeeds where it is at hand. */
  readonly isThere: string
}

export const PROGRAMS = {
  nginx: { name: 'nginx', packages: ['nginx-light'], isThere: 'command -v nginx || test -x /usr/sbin/nginx' },
  caddy: { name: 'caddy', packages: ['caddy'], isThere: 'command -v caddy' },
  promtool: { name: 'promtool', packages: ['prometheus'], isThere: 'command -v promtool' },
  systemd: { name: 'systemd-analyze', packages: ['systemd'], isThere: 'command -v systemd-analyze' },
  strace: { name: 'strace', packages: ['strace'], isThere: 'strace -e inject=fsync:error=EIO true' },
  sqlite: { name: 'sqlite3', packages: ['sqlite3'], isThere: 'command -v sqlite3' },
  php: {
    name: 'php 8.1',
    packages: ['php-cli'],
    isThere: 'php -r "exit(PHP_VERSION_ID < 80100 ? 1 : 0);"',
  },
  ruby: {
    name: 'ruby with webrick',
    packages: ['ruby', 'ruby-webrick'],
    isThere: 'ruby -e "require %(webrick)"',
  },
} satisfies Readonly<Record<string, Program>>

export const isThere = (program: Program): boolean => spawnSync('sh', ['-c', program.isThere]).status === 0

/** Passes a test over, and says why, where a program is not at hand. */
export function needs(context: Mocha.Context, program: Program): void {
  if (isThere(program)) return
  console.log(
    `      NOT TESTED: there is no ${program.name} here; run: node test/engines/programs/install.ts`,
  )
  context.skip()
}
