/** The verifiers of the receivers' guide, run where their language is at hand. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { signatureHeaders } from '../../src/webhooks/signing.ts'
import { newFolder } from '../support/service.ts'

const RECEIVERS = join(import.meta.dirname, '..', '..', 'docs', 'receivers')
const ROOT = join(import.meta.dirname, '..', '..')
const SECRET = 'a secret – of some length, with "quotes"'
const body = '{"Event":"contract.created","Data":{"Name":"Zoë\\n\\u0001"}}'
const signatureOf = (secret: string, text = body) =>
  signatureHeaders({ body: text, id: 'msg_1', timestamp: 1, secrets: [secret], signatureHeader: 'S' })['S']!

/** Whether this is verified, by a program in that language. */
type Verifier = (folder: string, secret: string, bodyFile: string, signature: string) => boolean

const passes = (command: string, ...values: string[]): boolean => {
  try {
    execFileSync(command, values, { stdio: 'pipe' })
    return true
  } catch (error) {
    if ((error as { status?: number }).status === 3) return false
    throw error
  }
}
const file = (name: string) => join(RECEIVERS, name)

const verifiers: Readonly<Record<string, { readonly command: string; readonly verify: Verifier }>> = {
  Node: {
    command: process.execPath,
    verify: (_folder, secret, path, signature) =>
      passes(
        process.execPath,
        '--input-type=module',
        '-e',
        `import { readFileSync } from 'node:fs'
         import { verify } from ${JSON.stringify(pathToFileURL(file('verify.mjs')).href)}
         const [secret, path, signature] = process.argv.slice(1)
         process.exit(verify(secret, readFileSync(path), signature) ? 0 : 3)`,
        secret,
        path,
        signature,
      ),
  },
  Python: {
    command: 'python3',
    verify: (_folder, secret, path, signature) =>
      passes(
        'python3',
        '-c',
        `import sys; sys.path.insert(0, ${JSON.stringify(RECEIVERS)}); sys.dont_write_bytecode = True
from verify import verify
sys.exit(0 if verify(sys.argv[1], open(sys.argv[2], 'rb').read(), sys.argv[3]) else 3)`,
        secret,
        path,
        signature,
      ),
  },
  Go: {
    command: 'go',
    verify(folder, secret, path, signature) {
      const program = join(folder, 'verify')
      if (!passesQuietly('test', '-x', program)) {
        writeFileSync(join(folder, 'verify.go'), readFileSync(file('verify.go')))
        writeFileSync(
          join(folder, 'main.go'),
          `package main
import "os"
func main() {
	body, _ := os.ReadFile(os.Args[2])
	if !Verify(os.Args[1], body, os.Args[3]) { os.Exit(3) }
}
`,
        )
        writeFileSync(join(folder, 'go.mod'), 'module verify\n\ngo 1.20\n')
        execFileSync('go', ['build', '-o', program, '.'], {
          cwd: folder,
          stdio: 'pipe',
          env: { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
        })
      }
      return passes(program, secret, path, signature)
    },
  },
  'bash and openssl': {
    command: 'openssl',
    verify: (_folder, secret, path, signature) =>
      passes(
        'bash',
        '-c',
        '. "$0"; verify "$1" "$2" "$3" || exit 3',
        file('verify.sh'),
        secret,
        path,
        signature,
      ),
  },
  PHP: {
    command: 'php',
    verify: (_folder, secret, path, signature) =>
      passes(
        'php',
        '-r',
        `require ${JSON.stringify(file('verify.php'))}; exit(verify($argv[1], file_get_contents($argv[2]), $argv[3]) ? 0 : 3);`,
        secret,
        path,
        signature,
      ),
  },
}

function passesQuietly(command: string, ...values: string[]): boolean {
  try {
    execFileSync(command, values, { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

function isThere(command: string): boolean {
  return command.startsWith('/') || passesQuietly('sh', '-c', `command -v ${command}`)
}

describe('the verifier of the receivers’ guide', () => {
  const folder = newFolder()
  const path = join(folder, 'body')
  before(() => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, body)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [language, { command, verify }] of Object.entries(verifiers))
    it(`in ${language} takes what is signed, and nothing else`, function () {
      this.timeout(60_000)
      if (!isThere(command)) {
        console.log(`      NOT TESTED: there is no ${command} on this machine`)
        this.skip()
      }
      expect(verify(folder, SECRET, path, signatureOf(SECRET))).to.equal(true)
      for (const wrong of [
        signatureOf('another'),
        signatureOf(SECRET, `${body} `),
        signatureOf(SECRET).toUpperCase(),
        'sha256=',
        '',
      ])
        expect(verify(folder, SECRET, path, wrong), wrong).to.equal(false)
    })

  it('is shown in the guide as it is in its file', () => {
    const guide = readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8')
    for (const name of ['verify.mjs', 'verify.py', 'verify.go']) {
      const code = readFileSync(file(name), 'utf8')
      const start = code.search(/^(export function|def|func) /m)
      expect(guide, name).to.include(code.slice(start).trim())
    }
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
    await send(signatureOf('another'))
    await said(/signature: WRONG/)
    child.kill()
    await once(child, 'exit')
  })

  it('tells its options to whoever gives it others', () => {
    for (const options of [['--help'], ['--port', 'x'], ['--port', '70000'], ['--answer', '99']]) {
      const file = join(ROOT, 'scripts', 'webhook-listen.ts')
      const { status, stderr } = spawnSync(process.execPath, [file, ...options], { encoding: 'utf8' })
      expect(status, options.join(' ')).to.equal(2)
      expect(stderr, 'told, not traced')
        .to.include('usage: npm run webhook-listen')
        .and.not.match(/\n\s+at /)
    }
  })
})
