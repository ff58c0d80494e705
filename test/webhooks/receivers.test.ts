/** The receivers of the webhooks' guide, run where their language is at hand. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { signatureHeaders } from '../../src/webhooks/signing.ts'
import { PROGRAMS } from '../engines/programs/programs.ts'
import { newFolder } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const RECEIVERS = join(ROOT, 'docs', 'receivers')
const SECRET = 'a secret – of some length, with "quotes"'
const SECRETS = { text: SECRET, whsec_: `whsec_${Buffer.alloc(32, 0xfb).toString('base64')}` }
const body = '{"Event":"contract.created","Data":{"Name":"Zoë\\n\\u0001"}}'
const SIGNATURE = 'X-Hub-Signature-256'
const file = (name: string) => join(RECEIVERS, name)

interface Receiver {
  /** What must be on the machine: a program, unless a command finds it out. */
  readonly needs: string
  readonly isThere?: string
  /** Builds it in a folder, where that is a step of its own. */
  readonly build?: (folder: string) => void
  readonly command: (folder: string, port: number) => readonly [string, ...string[]]
  /** It cannot choose a free port itself. */
  readonly needsPort?: true
}

const receivers: Readonly<Record<string, Receiver>> = {
  Node: { needs: process.execPath, command: () => [process.execPath, file('receiver.mjs')] },
  Python: { needs: 'python3', command: () => ['python3', file('receiver.py')] },
  Go: {
    needs: 'go',
    build: (folder) => execFileSync('go', ['build', '-o', join(folder, 'receiver'), file('receiver.go')]),
    command: (folder) => [join(folder, 'receiver')],
  },
  PHP: {
    needs: PROGRAMS.php.name,
    isThere: PROGRAMS.php.isThere,
    command: (_folder, port) => ['php', '-S', `127.0.0.1:${port}`, file('receiver.php')],
    needsPort: true,
  },
  Java: {
    needs: 'JDK 17',
    isThere: 'javac -version 2>&1 | grep -E "javac (1[7-9]|[2-9][0-9])"',
    command: () => ['java', file('Receiver.java')],
  },
  'C#': {
    needs: 'dotnet 10',
    isThere: "dotnet --version | grep '^[1-9][0-9]'",
    command: () => ['dotnet', 'run', file('receiver.cs')],
  },
  Ruby: {
    needs: PROGRAMS.ruby.name,
    isThere: PROGRAMS.ruby.isThere,
    command: () => ['ruby', file('receiver.rb')],
  },
}

/** A message as the service sends it, and what was changed about it on its way. */
interface Sent {
  readonly secrets?: readonly string[]
  readonly id?: string
  /** Seconds between its signing and now. */
  readonly age?: number
  readonly body?: string
  readonly changed?: Readonly<Record<string, string>>
}

class Running {
  readonly inbox: string
  readonly #child: ChildProcess
  readonly #url: string

  private constructor(child: ChildProcess, inbox: string, url: string) {
    this.#child = child
    this.inbox = inbox
    this.#url = url
  }

  static async start(receiver: Receiver, folder: string, secret: string): Promise<Running> {
    const inbox = join(folder, `inbox of ${secret.length}`)
    const port = receiver.needsPort ? await freePort() : 0
    const [command, ...values] = receiver.command(folder, port)
    const child = spawn(command, values, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Some start the program as a process of their own: they are ended as a group.
      detached: true,
      env: { ...process.env, WEBHOOK_SECRET: secret, INBOX: inbox, PORT: String(port) },
    })
    const said: string[] = []
    const url = await new Promise<string>((resolve, reject) => {
      for (const output of [child.stdout, child.stderr])
        createInterface({ input: output }).on('line', (line) => {
          said.push(line)
          const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
          if (found) resolve(`${found}/`)
        })
      child.once('error', reject)
      child.once('close', () => reject(new Error(`it ended at its start: ${said.join('\n')}`)))
    })
    return new Running(child, inbox, url)
  }

  /** The status it answers with. */
  async post({ secrets, id = 'msg_1', age = 0, body: text = body, changed = {} }: Sent): Promise<number> {
    const signed = signatureHeaders({
      body: text,
      id,
      timestamp: Math.floor(Date.now() / 1000) - age,
      secrets: secrets!,
      signatureHeader: SIGNATURE,
    })
    const { body: sent = text, ...headers } = changed
    const answer = await fetch(this.#url, {
      method: 'POST',
      body: sent,
      headers: { 'Content-Type': 'application/json; charset=utf-8', ...signed, ...headers },
    })
    await answer.arrayBuffer()
    return answer.status
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    process.kill(-this.#child.pid!, 'SIGTERM')
    await ended
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const succeeds = (command: string) => spawnSync('sh', ['-c', command]).status === 0
const isThere = (program: string) => succeeds(`command -v '${program}'`)

for (const [language, receiver] of Object.entries(receivers))
  describe(`the receiver in ${language}`, function () {
    this.timeout(120_000)
    const folder = newFolder()
    before(function () {
      if (!(receiver.isThere ? succeeds(receiver.isThere) : isThere(receiver.needs))) {
        console.log(`      NOT TESTED: there is no ${receiver.needs} on this machine`)
        this.skip()
      }
      mkdirSync(folder, { recursive: true })
      receiver.build?.(folder)
    })
    after(() => rmSync(folder, { recursive: true, force: true }))

    for (const [kind, secret] of Object.entries(SECRETS))
      it(`stores what is signed by a secret (${kind}), once, and nothing else`, async () => {
        const running = await Running.start(receiver, folder, secret)
        const post = (sent: Sent) => running.post({ secrets: [secret], ...sent })
        try {
          const old = signatureHeaders({
            body,
            id: 'msg_1',
            timestamp: 1,
            secrets: [secret],
            signatureHeader: SIGNATURE,
          })
          const refused: Readonly<Record<string, Sent>> = {
            'another secret': { secrets: ['another'] },
            'another secret, right for one header': { secrets: ['another', secret] },
            'another body': { changed: { body: `${body} ` } },
            'another id': { changed: { 'webhook-id': 'msg_2' } },
            'another timestamp': {
              changed: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 9) },
            },
            'no timestamp': { changed: { 'webhook-timestamp': 'now' } },
            old: { age: 400 },
            'of the future': { age: -400 },
            capitals: { changed: { [SIGNATURE]: old[SIGNATURE]!.toUpperCase() } },
            'no signature': { changed: { [SIGNATURE]: '' } },
            'the name only': { changed: { [SIGNATURE]: 'sha256=' } },
            'no standard signature': { changed: { 'webhook-signature': '' } },
            'an old standard signature': { changed: { 'webhook-signature': old['webhook-signature']! } },
          }
          for (const [why, sent] of Object.entries(refused)) expect(await post(sent), why).to.equal(401)
          expect(await post({ id: '../msg_1' }), 'an id that leads elsewhere').to.equal(400)
          expect(readdirSync(running.inbox, { recursive: true })).to.deep.equal([])

          expect(await post({})).to.equal(204)
          expect(await post({ age: 60 }), 'a second attempt').to.equal(204)
          expect(await post({ id: 'msg_2', secrets: [secret, 'another'], body: '{}' })).to.equal(204)
          expect(readdirSync(running.inbox).sort()).to.deep.equal(['msg_1.json', 'msg_2.json'])
          expect(readFileSync(join(running.inbox, 'msg_1.json'), 'utf8')).to.equal(body)
        } finally {
          await running.stop()
        }
      })
  })

const signatureOf = (secret: string, text = body) =>
  signatureHeaders({ body: text, id: 'msg_1', timestamp: 1, secrets: [secret], signatureHeader: SIGNATURE })[
    SIGNATURE
  ]!

describe('the webhooks’ guide', () => {
  const guide = readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8')

  it('shows how to verify as the receivers do', () => {
    for (const name of ['receiver.mjs', 'receiver.py', 'receiver.go']) {
      const [code] = /^(?:export function verify|def verify|func Verify)\([\s\S]*?(?=\n\n)/m.exec(
        readFileSync(file(name), 'utf8'),
      )!
      expect(guide, name).to.include(`\n${code}\n`)
    }
  })

  it('leads to every receiver', () => {
    for (const name of readdirSync(RECEIVERS)) expect(guide).to.include(`](receivers/${name})`)
  })

  it('verifies with bash and openssl what is signed, and nothing else', function () {
    this.timeout(60_000)
    if (!isThere('openssl')) {
      console.log('      NOT TESTED: there is no openssl on this machine')
      this.skip()
    }
    const folder = newFolder()
    mkdirSync(folder, { recursive: true })
    const path = join(folder, 'body')
    writeFileSync(path, body)
    const verify = (signature: string) => {
      const script = '. "$0"; verify "$1" "$2" "$3" || exit 3'
      return spawnSync('bash', ['-c', script, file('verify.sh'), SECRET, path, signature]).status
    }
    expect(verify(signatureOf(SECRET))).to.equal(0)
    for (const wrong of [signatureOf('another'), signatureOf(SECRET, `${body} `), 'sha256=', ''])
      expect(verify(wrong), wrong).to.equal(3)
    rmSync(folder, { recursive: true, force: true })
  })
})

describe('npm run webhook-listen', () => {
  it('says what came, and whether it is signed by the secret', async () => {
    const child = spawn(
      process.execPath,
      [join(ROOT, 'scripts', 'webhook-listen.ts'), '--port', '0', '--secret', SECRET],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const lines: string[] = []
    let onLine = () => {}
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      onLine()
    })
    const said = async (pattern: RegExp) => {
      for (;;) {
        const found = pattern.exec(lines.join('\n'))
        if (found) return found
        await new Promise<void>((resolve) => (onLine = resolve))
      }
    }
    const [, url] = await said(/(http:\S+),/)
    const send = (signature: string) =>
      fetch(url!, {
        method: 'POST',
        body,
        headers: { 'X-Hub-Signature-256': signature, 'Daybook-Event': 'contract.created' },
      })
    expect((await send(signatureOf(SECRET))).status).to.equal(204)
    await said(/signature: valid/)
    await said(/"Event": "contract.created"/)
    expect((await send(signatureOf('another'))).status).to.equal(401)
    await said(/signature: WRONG/)
    child.kill()
    await once(child, 'exit')
  })

  it('says which options there are when it is given others', () => {
    for (const options of [
      ['--port', 'x'],
      ['--port', '70000'],
      ['--answer', '99'],
    ]) {
      const file = join(ROOT, 'scripts', 'webhook-listen.ts')
      const { status, stderr } = spawnSync(process.execPath, [file, ...options], { encoding: 'utf8' })
      expect(status, options.join(' ')).to.equal(2)
      expect(stderr, 'told, not traced')
        .to.include('usage: npm run webhook-listen')
        .and.not.match(/\n\s+at /)
    }
  })
})
