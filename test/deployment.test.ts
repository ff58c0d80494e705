/** `docker-compose.yml` and `Dockerfile` against what they deploy: nothing here starts a container. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
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
    expect(roles).to.deep.equal(['api', 'api', 'projections', 'webhooks,scheduler'])
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
      expect(existsSync(join(ROOT, file)), file).to.equal(true)
      expect(letIn, file).to.contain(`!${file}`)
    }
    expect(copied).to.include.members(['package.json', 'package-lock.json', 'src', 'definitions'])
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
