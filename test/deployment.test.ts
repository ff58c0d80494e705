/** `docker-compose.yml`, `Dockerfile` and `deploy` against what they deploy: nothing here starts a container. */
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import express from 'express'
import { parse } from 'yaml'
import { setArrival } from '../src/api/http/send.ts'
import { metrics } from '../src/api/operations/metrics.ts'
import { readConfig, ROLES } from '../src/config.ts'
import { SECRETS_KEYS } from './support/secrets-keys.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

interface Service {
  readonly build?: string
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly healthcheck?: object
  readonly mem_limit?: string
  readonly logging?: { readonly options: object }
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build !== undefined)

/** As an operator sets them; those with a default are left out. */
const SECRETS: Readonly<Record<string, string>> = {
  SECRETS_KEYS,
  BOOTSTRAP_TOKEN: 'some-token-0123456789',
  MONGODB_PASSWORD: 'Mongo1',
  RABBITMQ_PASSWORD: 'Rabbit1',
  POSTGRES_PASSWORD: 'Postgres1',
}

/** `${NAME:?why}`, which must be set, and `${NAME:-default}`, as compose reads them. */
function interpolated(text: string): string {
  return text.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = SECRETS[name] ?? (kind === '-' ? rest : undefined)
    if (value === undefined) throw new Error(`${name} has neither a value nor a default`)
    return value
  })
}

const image = read('Dockerfile')
const settingsOfImage: Record<string, string> = {}
for (const [, name, value] of (/^ENV (.*)$/m.exec(image)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g))
  settingsOfImage[name!] = value!
const settingsOf = ({ environment }: Service): Readonly<Record<string, string>> => ({
  ...settingsOfImage,
  ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolated(value)])),
})

describe('docker-compose.yml', () => {
  it('has two api processes, and one each for what else there is to do', () => {
    const roles = ours.map(([, { environment }]) => environment['ROLES'])
    expect(roles).to.deep.equal(['api', 'api', 'projections', 'webhooks,scheduler,notifications'])
    // The warehouse is PostgreSQL's: no process keeps files of it.
    expect([...roles.join(',').split(','), 'warehouse']).to.include.members([...ROLES])
  })

  for (const [name, service] of ours)
    it(`gives ${name} settings that it starts with, each by a name that it knows`, () => {
      const config = readConfig(settingsOf(service))
      const empty = Object.entries(settingsOf(service)).filter(([, value]) => value === '')
      const given = Object.keys(service.environment).filter((key) => !empty.some(([other]) => other === key))
      expect(Object.keys(config)).to.include.members(given)
      expect(config.EVENTSTORE_URL).to.match(/\/\/eventstore:2113/)
      expect(new URL(config.RABBITMQ_URL!)).to.include({ hostname: 'rabbitmq', password: 'Rabbit1' })
      expect(config.WAREHOUSE_URL).to.contain('daybook_warehouse:Postgres1@postgres:5432/daybook')
      expect(config.MONGODB_URL).to.contain('daybook:Mongo1@mongodb:27017/daybook?replicaSet=rs0')
    })

  it('knows every setting that it leaves to the operator', () => {
    const source = `${read('src/config.ts')}`
    for (const [, { environment }] of ours)
      for (const name of Object.keys(environment)) expect(source).to.match(new RegExp(`^  ${name}: `, 'm'))
  })

  it('passes on every setting that is not of the image or of a mount', () => {
    const source = read('src/config.ts')
    const settings = [...source.matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(([, name]) => name!)
    const fixed = ['PORT', 'HOST', 'DATA_DIR', 'DEFINITIONS_DIR', 'TLS_CERT', 'TLS_KEY']
    for (const [name, { environment }] of ours)
      expect([...Object.keys(environment), ...fixed], name).to.have.members(settings)
  })

  it('keeps the data of each process in a volume of its own, and bounds memory and logs of all', () => {
    const data = ours.map(([name, { volumes }]) => [name, volumes])
    expect(data).to.deep.equal(ours.map(([name]) => [name, [`${name}:/data`]]))
    for (const [name] of ours) expect(compose.volumes).to.have.property(name)
    for (const [name, service] of services) {
      expect(service.mem_limit, name).to.match(/^\d+[mg]$/)
      expect(service.logging?.options, name).to.have.keys('max-size', 'max-file')
    }
  })

  it('holds no secret: each comes from the environment and must be there', () => {
    const text = read('docker-compose.yml')
    for (const name of Object.keys(SECRETS)) expect(text).to.contain(`\${${name}:?`)
    for (const [, value] of Object.entries(SECRETS)) expect(text).to.not.contain(value)
  })

  it('opens ports to this machine only', () => {
    for (const [name, { ports = [] }] of services)
      for (const port of ports) expect(port, name).to.match(/^127\.0\.0\.1:/)
  })

  it('has every engine keep its data in a volume, and say when it is healthy', () => {
    const engines = services.filter(([, { build }]) => build === undefined)
    expect(engines.map(([name]) => name)).to.deep.equal(['eventstore', 'mongodb', 'postgres', 'rabbitmq'])
    for (const [name, { volumes = [], healthcheck }] of engines) {
      expect(volumes.map((volume) => volume.split(':')[0])).to.include(name)
      expect(compose.volumes).to.have.property(name)
      expect(healthcheck, name).to.have.property('test')
    }
  })

  it('names a version of every engine, which a variable that it tells of overrides', () => {
    const head = read('docker-compose.yml').split('\n\n')[0]!
    for (const { build, image } of Object.values(compose.services)) {
      if (build !== undefined) continue
      const [, variable, usual] = /^\$\{(\w+):-(.+)\}$/.exec(image) ?? []
      expect(head).to.contain(variable!)
      // PostgreSQL's versions have two numbers.
      expect(usual).to.match(/:\d+\.\d+(\.\d+)?(-[a-z]+)?$/)
    }
  })

  it('mounts files that are there', () => {
    const mounted = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .filter((volume) => volume.startsWith('.'))
    for (const volume of mounted) expect(existsSync(join(ROOT, volume.split(':')[0]!)), volume).to.equal(true)
    expect(mounted).to.have.length(3)
  })
})

describe('the image', () => {
  it('has what the service needs, and may ask after its health', () => {
    const copied = [...image.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files]) =>
      files!.split(' '),
    )
    const letIn = read('.dockerignore')
    for (const file of copied) {
      expect(globSync(file, { cwd: ROOT }), file).to.not.deep.equal([])
      expect(letIn, file).to.contain(`!${file}`)
    }
    expect(copied).to.include.members(['package.json', 'package-lock.json', 'src', 'definitions'])
    // The commands for operators, and all that they import.
    const scripts = copied.filter((file) => file.startsWith('scripts/'))
    for (const command of [
      'admin',
      'backup',
      'restore',
      'verify',
      'upgrade-store',
      'claim-again',
      'move-keys',
    ])
      expect(scripts).to.include(`scripts/${command}.ts`)
    for (const file of globSync(
      scripts.map((one) => (one.endsWith('.ts') ? one : `${one}/**/*.ts`)),
      { cwd: ROOT },
    ))
      for (const [, to] of read(file).matchAll(/from '(\.[^']+)'/g)) {
        const imported = relative(ROOT, join(ROOT, dirname(file), to!))
        const isCopied = copied.some((one) => imported === one || imported.startsWith(`${one}/`))
        expect(isCopied, `${file}: ${imported}`).to.equal(true)
      }
    expect(image).to.match(/^HEALTHCHECK /m)
  })

  it('runs as no root, with production packages only', () => {
    expect(image).to.match(/^USER node$/m)
    expect(image).to.match(/npm ci --omit=dev/)
    expect(image.trimEnd().split('\n').at(-1)).to.equal('CMD ["node", "src/main.js"]')
  })

  it('listens where other containers reach it only with a proxy in front', () => {
    expect(() => readConfig(settingsOfImage)).to.throw(/HOST: plain HTTP/)
    expect(readConfig({ ...settingsOfImage, TRUST_PROXY: '1' }).HOST).to.equal('0.0.0.0')
  })
})

describe('what watches the service', () => {
  const metricsIn = (text: string) =>
    new Set([...text.matchAll(/\b(?:daybook|process|nodejs)_[a-z_]+/g)].map(([name]) => name))
  let served = new Set<string>()
  before(async () => {
    const measured = metrics({
      version: '1.2.3',
      lags: async () => [{ name: 'records', lag: 1, parked: false }],
      checks: () => [{ name: 'events', down: undefined, required: true }],
      deliveries: async () => ({ state: 'open', waiting: 1, abandoned: 1 }),
      noticed: () => ({ silent: 1, foreign: 1 }),
      work: {
        exports: () => ({ running: 1, waiting: 2 }),
        refused: () => ({ client: 3, company: 0, rows: 0 }),
        disabledWebhooks: () => 4,
        failingIntegrations: () => 2,
        lastBackup: () => 1_700_000_000,
      },
    })
    measured.answered('GET', '/', 200, 0.1)
    const app = express().get('/', (request, response, next) => {
      setArrival(response, { id: 'x', at: 0, now: 0, common: [], more: [] })
      return measured.page(request, response, next)
    })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const text = await (await fetch(`http://127.0.0.1:${port}/`)).text()
    server.close()
    served = metricsIn(text)
  })

  for (const file of ['deploy/prometheus/alerts.yml', 'deploy/grafana/daybook.json'])
    it(`${file} asks for metrics that there are`, () => {
      const asked = metricsIn(read(file))
      expect(asked.size).to.be.above(8)
      expect([...served]).to.include.members([...asked])
    })

  it('has a first step for each alert in docs/production.md', () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yml')) as {
      readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[]
    }
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
    const named = [...read('docs/production.md').matchAll(/`(Daybook[A-Z]\w+)`/g)].map(([, name]) => name!)
    expect(named).to.have.members(alerts)
  })
})

describe('docs/production.md', () => {
  it('has commands for a cluster whose processes have all roles, each a port and a folder of its own', () => {
    const processes = [...read('docs/production.md').matchAll(/^(ROLES=.*) npm start &$/gm)].map(([, line]) =>
      readConfig({
        EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
        MONGODB_URL: 'mongodb://127.0.0.1:27017/daybook?replicaSet=rs0',
        SECRETS_KEYS,
        ...Object.fromEntries(line!.split(' ').map((setting) => setting.split('=') as [string, string])),
      }),
    )
    expect(new Set(processes.flatMap(({ ROLES }) => [...ROLES]))).to.have.all.keys(...ROLES)
    expect(new Set(processes.map(({ PORT }) => PORT))).to.have.property('size', 4)
    expect(new Set(processes.map(({ DATA_DIR }) => DATA_DIR))).to.have.property('size', 4)
  })
})
