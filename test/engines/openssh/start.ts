/** A real SFTP server for one test run: OpenSSH on a free port of 127.0.0.1, with keys of its own, ended by `stop`. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-ports.ts'

export const SSHD = '/usr/sbin/sshd'

/** Why there is none here; undefined: there is one. */
export const NO_OPENSSH: string | undefined = existsSync(SSHD)
  ? undefined
  : 'no OpenSSH server here; run: node test/engines/openssh/install.ts'

export interface OpenSsh {
  readonly port: number
  readonly user: string
  /** Of the user. */
  readonly privateKey: string
  /** Of the server, as `SHA256:…`. */
  readonly hostKey: string
  /** Files that it serves. */
  readonly folder: string
  /** SIGKILL to the server and to its connections. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startOpenSsh(): Promise<OpenSsh> {
  const home = mkdtempSync(join(tmpdir(), 'daybook-sshd-'))
  const folder = join(home, 'files')
  mkdirSync(folder)
  const keyOf = (name: string, ...more: string[]) => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(home, name), ...more])
    return join(home, name)
  }
  const hostKeyFile = keyOf('host')
  const userKeyFile = keyOf('user')
  const port = await freePort()
  const config = join(home, 'sshd_config')
  writeFileSync(
    config,
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${hostKeyFile}`,
      `AuthorizedKeysFile ${userKeyFile}.pub`,
      `PidFile none`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'Subsystem sftp internal-sftp',
      `ForceCommand internal-sftp -d ${folder}`,
      '',
    ].join('\n'),
  )
  // Its unprivileged half wants this folder when it is run by root.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  let server: ChildProcess | undefined
  const start = async () => {
    server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    for await (const part of server.stderr!) {
      said += String(part)
      if (said.includes('Server listening')) break
    }
    if (!said.includes('Server listening')) throw new Error(`sshd does not start: ${said}`)
  }
  const kill = async () => {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
    const connections = below(server.pid)
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
    // Some may have ended by themselves.
    for (const pid of connections) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
  }
  await start()
  return {
    port,
    user: userInfo().username,
    privateKey: readFileSync(userKeyFile, 'utf8'),
    hostKey: execFileSync('ssh-keygen', ['-l', '-E', 'sha256', '-f', `${hostKeyFile}.pub`], {
      encoding: 'utf8',
    }).split(' ')[1]!,
    folder,
    kill,
    start,
    async stop() {
      await kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Processes that a process has started, and those that they have. */
function below(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return children.flatMap((child) => [child, ...below(child)])
}
