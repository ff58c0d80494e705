/**
 * A real mail server for one test run: Postfix on a free port of 127.0.0.1, with queues of its own, ended by `stop`. It relays
 * to one server, and reports what comes back to an alias, as an installation would that has the one of docs/notifications.md#bounces.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-ports.ts'

export const POSTFIX = '/usr/sbin/postfix'

/** Why there is none here; undefined: there is one. It gives its processes to other users, which root alone can. */
export const NO_POSTFIX: string | undefined =
  existsSync(POSTFIX) && process.getuid?.() === 0
    ? undefined
    : 'no Postfix here, or not root; run: node test/engines/postfix/install.ts'

export interface Postfix {
  readonly url: string
  readonly log: () => string
  stop(): void
}

export interface PostfixOptions {
  /** The port on this machine that takes what it relays. */
  readonly relayTo: number
  /** Whose mails stay here. */
  readonly domain: string
  /** What mails for `post@` are given to. */
  readonly command: string
}

export async function startPostfix({ relayTo, domain, command }: PostfixOptions): Promise<Postfix> {
  const home = mkdtempSync(join(tmpdir(), 'daybook-postfix-'))
  chmodSync(home, 0o755)
  const within = (name: string) => join(home, name)
  for (const name of ['queue', 'data']) mkdirSync(within(name))
  chownSync(within('data'), Number(execFileSync('id', ['-u', 'postfix'], { encoding: 'utf8' })), 0)
  const port = await freePort()
  writeFileSync(within('aliases'), `post "|${command.replaceAll('"', '\\"')}"\n`)
  writeFileSync(within('main.cf'), settingsOf({ home, domain, relayTo }))
  writeFileSync(within('master.cf'), servicesOf(port))
  const postfix = (word: string) => execFileSync(POSTFIX, ['-c', home, word], { stdio: 'ignore' })
  postfix('start')
  return {
    url: `smtp://127.0.0.1:${port}`,
    log: () => (existsSync(within('mail.log')) ? readFileSync(within('mail.log'), 'utf8') : ''),
    stop() {
      postfix('stop')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const settingsOf = ({
  home,
  domain,
  relayTo,
}: Omit<PostfixOptions, 'command'> & { readonly home: string }) => `
compatibility_level = 3.6
queue_directory = ${home}/queue
data_directory = ${home}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = mx.${domain}
mydestination = ${domain}
local_recipient_maps =
recipient_delimiter = +
alias_maps = texthash:${home}/aliases
default_privs = nobody
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
relayhost = [127.0.0.1]:${relayTo}
smtp_dns_support_level = disabled
maillog_file = ${home}/mail.log
maillog_file_prefixes = ${home}
`

/** Those of the package, with none in a chroot: nothing is prepared for one here. */
const servicesOf = (port: number) =>
  [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'local unix - n n - - local',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'postlog unix-dgram n - n - 1 postlogd',
    '',
  ].join('\n')
