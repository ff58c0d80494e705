import { expect } from 'chai'
import { SECRETS_KEYS } from './support/secrets-keys.ts'
import { ConfigError, readConfig } from '../src/config.ts'
import { misspeltSettings } from '../src/misspelt-settings.ts'

/** The message with which settings are refused. */
function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
  throw new Error(`${JSON.stringify(environment)} was taken`)
}

const servers = { EVENTSTORE_URL: 'esdb://localhost:2113', MONGODB_URL: 'mongodb://localhost' }

/** URLs of servers that no driver could reach, each with what has to be told apart from a password. */
function badAddresses(scheme: string): readonly string[] {
  const after = ['', '/', '/path', 'a:s3cret@', 'a:s3cret@/path', ':99999', 'a:s3cret@:2113', '[::1', 'x y']
  const ports = ['99999', '65536', '0', '-1', 'abc', '1x', '80.5', '', '1:2']
  const passwords = ['s3%cret', 's3/cret', 's3@cret', 's3:cret', '1/s3cret']
  return [
    ' ',
    ...after.map((rest) => `${scheme}://${rest}`),
    ...ports.map((port) => `${scheme}://a:s3cret@host:${port}`),
    ...passwords.map((password) => `${scheme}://a:${password}@host`),
  ]
}

/** Values that no setting of that name may have; a setting that is not here is not tested (see below). */
const BAD: Readonly<Record<string, readonly string[]>> = {
  PORT: ['-1', '65536', '80.5', 'http', '3000x', ' ', 'NaN', 'Infinity'],
  HOST: [' '],
  DATA_DIR: ['  '],
  WORKERS: ['0', '17', 'two', '-1'],
  RABBITMQ_PREFIX: ['a b', 'x'.repeat(101), 'ä'],
  ROLES: ['web', 'api,', ',', ' ', 'api;projections', 'API'],
  EVENTSTORE_URL: ['localhost:2113', 'http://localhost:2113', 'mongodb://localhost', ...badAddresses('esdb')],
  MONGODB_URL: ['localhost:27017', 'http://localhost', 'esdb://localhost', ...badAddresses('mongodb')],
  WAREHOUSE_URL: ['localhost:5432', 'http://localhost', 'mysql://localhost', ...badAddresses('postgres')],
  RABBITMQ_URL: ['localhost:5672', 'http://localhost', ...badAddresses('amqp')],
  DEFINITIONS_DIR: [' '],
  WEBHOOK_ALLOW_ADDRESSES: [
    'localhost',
    '10.0.0.1',
    '10.0.0.0/33',
    '10/8',
    '10.0.0.0/8;fd00::/8',
    '10.0.0.0/8,',
    ' x ',
  ],
  WEBHOOK_SIGNATURE_HEADER: ['X Signature', 'X-Signature:', 'Content-Type', 'webhook-id', 'Host', 'ü', ' '],
  WEBHOOK_SCHEDULE: ['5', '5s,', '5 minutes', '25h', '-1s', Array(21).fill('1s').join(','), ' '],
  PUBLIC_URL: ['example.com', 'ftp://example.com', 'https://', '/daybook', ' '],
  APP_ORIGIN: [
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/app',
    'https://App.example.com',
    'https://app.example.com:443',
    'https://user@app.example.com',
    'https://a.example.com,https://b.example.com',
    '*',
    'null',
    'file:///',
    ' ',
  ],
  TLS_CERT: [' '],
  TLS_KEY: [' '],
  TRUST_PROXY: [
    '0',
    '10',
    'true',
    '*',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    '10.0.0',
    'proxy.local',
    '10.0.0.1,',
    ' ',
  ],
  RATE_LIMIT_PER_MINUTE: ['-1', '1000001', '20/s', ' '],
  RATE_LIMIT_BURST: ['0', '-1', 'all', ' '],
  COMPANY_RATE_LIMIT_PER_MINUTE: ['-1', '10000001', 'all'],
  COMPANY_ROWS_PER_MINUTE: ['-1', '1', '499', 'all'],
  EXPORTS_AT_ONCE: ['0', '101', '1.5', 'all', ' '],
  NOTIFICATION_PORT: ['65536', '-1', 'http', ' '],
  NOTIFICATION_URL: ['notify.example', 'ftp://notify.example', ' '],
  SMTP_URL: ['mail.example', 'http://mail.example', 'smtp://', ' '],
  MAIL_FROM: ['nobody', 'A <a@b> <c@d>', 'a@b\r\nBcc: c@d', ' '],
  MAIL_REPLY_TO: ['nobody', ' '],
  MAIL_ALLOW: ['nobody', 'a@example.com,', ' '],
  MAIL_RATE_PER_HOUR: ['-1', 'all', ' '],
  MAIL_CATCH_UP_DAYS: ['-1', '3651', ' '],
  MAIL_KEEP_DAYS: ['0', '-1', '3651', ' '],
  DKIM_DOMAIN: [' '],
  DKIM_SELECTOR: [' '],
  DKIM_KEY: [' '],
  IMPORT_MAX_BYTES: ['0', '-1', '1.5', '100MB', ' '],
  IMPORT_MAX_INFLATED: ['0', '-1', '1.5', '2GB', ' '],
  IMPORT_MAX_ROWS: ['0', '-1', '1.5', 'all', ' '],
  INBOX_KEEP_DAYS: ['0', '-1', '1.5', '3651', 'all', ' '],
  IMPORT_KEEP_FILES_DAYS: ['0', '-1', '1.5', '3651', 'all', ' '],
  IMPORTS_AT_ONCE: ['0', '-1', '1.5', 'all', ' '],
  IMPORT_FOLDERS: ['bank', 'bank=/mnt', 'company-01jc3y4v5e8z9k2m7q6r5t4w3x/bank=mnt', 'x/y=/mnt'],
  IMPORT_SFTP_ALLOW: ['bank.example', 'bank.example:0', '10/8', '10.0.0.1', 'sftp://bank.example:22'],
  LOG_LEVEL: ['verbose', 'INFO', '30', ' '],
  AUTH_GRACE_SECONDS: ['-1', '3601', '1.5', '30s', ' '],
  READ_YOUR_WRITES_MS: ['-1', '60001', '1.5', '2s', ' '],
  SECRETS_KEYS: ['c2hvcnQ=', 'no base64 at all, however long it may be', ',', ' '],
  COOKIE_DOMAIN: ['example.com', '.', '.com', '.example.com; Secure', '.-a.com', 'https://example.com', ' '],
  BOOTSTRAP_EMAIL: ['ada', 'ada@', ' '],
  BOOTSTRAP_PASSWORD: ['short', 'x'.repeat(257)],
  BOOTSTRAP_COMPANY: [' ', 'x'.repeat(201)],
  BOOTSTRAP_TOKEN: [
    'short',
    'x'.repeat(15),
    'x'.repeat(257),
    'has a blank in its midst',
    'ünïcödé-tokens-are-refused',
    ' ',
  ],
}

describe('settings', () => {
  it('all have a default, so that the service starts without any', () => {
    const { ROLES, ...config } = readConfig({})
    expect([...ROLES]).to.deep.equal([
      'api',
      'projections',
      'webhooks',
      'scheduler',
      'warehouse',
      'notifications',
    ])
    expect(config).to.include({
      PORT: 3000,
      HOST: '127.0.0.1',
      DATA_DIR: './data',
      WORKERS: 1,
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_MINUTE: 1_200,
      RATE_LIMIT_BURST: 100,
      COMPANY_RATE_LIMIT_PER_MINUTE: 0,
      COMPANY_ROWS_PER_MINUTE: 0,
      EXPORTS_AT_ONCE: 4,
      AUTH_GRACE_SECONDS: 30,
      READ_YOUR_WRITES_MS: 2_000,
      BOOTSTRAP_COMPANY: 'My company',
    })
    for (const name of [
      'EVENTSTORE_URL',
      'MONGODB_URL',
      'RABBITMQ_URL',
      'DEFINITIONS_DIR',
      'PUBLIC_URL',
      'BOOTSTRAP_TOKEN',
    ])
      expect(config).to.not.have.property(name)
  })

  it('hold the keys of secrets where a server holds the events: whoever has those must not have both', () => {
    const { EVENTSTORE_URL } = servers
    expect(refusal({ EVENTSTORE_URL })).to.include('SECRETS_KEYS: must be set with EVENTSTORE_URL')
    expect(readConfig({ EVENTSTORE_URL, SECRETS_KEYS }).SECRETS_KEYS).to.have.length(1)
  })

  it('are what the environment says', () => {
    const { ROLES, ...config } = readConfig({
      ...servers,
      SECRETS_KEYS,
      PORT: '0',
      HOST: '::',
      TRUST_PROXY: '10.1.0.0/16, uniquelocal',
      APP_ORIGIN: 'https://app.example.com',
      DATA_DIR: ' /var/lib/daybook ',
      RABBITMQ_URL: 'amqps://daybook:p%40ss@broker.example:5671/daybook?heartbeat=20',
      ROLES: 'api, projections',
      PUBLIC_URL: 'https://records.example.com/',
      LOG_LEVEL: 'warn',
      READ_YOUR_WRITES_MS: '60000',
      BOOTSTRAP_COMPANY: ' Zoë & Co ',
      BOOTSTRAP_TOKEN: '0123456789-token',
    })
    expect([...ROLES]).to.deep.equal(['api', 'projections'])
    expect(config.TRUST_PROXY).to.deep.equal(['10.1.0.0/16', 'uniquelocal'])
    expect(config).to.include({
      ...servers,
      RABBITMQ_URL: 'amqps://daybook:p%40ss@broker.example:5671/daybook?heartbeat=20',
      PORT: 0,
      HOST: '::',
      APP_ORIGIN: 'https://app.example.com',
      DATA_DIR: '/var/lib/daybook',
      PUBLIC_URL: 'https://records.example.com/',
      LOG_LEVEL: 'warn',
      READ_YOUR_WRITES_MS: 60_000,
      BOOTSTRAP_COMPANY: 'Zoë & Co',
      BOOTSTRAP_TOKEN: '0123456789-token',
    })
  })

  it('that are empty are not set', () => {
    const names = Object.keys(BAD)
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).to.deep.equal(readConfig({}))
  })

  it('of other programs do not matter', () =>
    expect(readConfig({ PATH: '/bin', PORTS: '1', port: 'x' })).to.deep.equal(readConfig({})))

  it('are each tested with bad values', () => {
    const known = Object.keys(
      readConfig({
        ...servers,
        SECRETS_KEYS,
        RABBITMQ_URL: 'amqp://localhost',
        DEFINITIONS_DIR: 'x',
        PUBLIC_URL: 'https://a.example',
        BOOTSTRAP_TOKEN: 'x'.repeat(16),
        APP_ORIGIN: 'https://app.example.com',
        TLS_CERT: 'cert.pem',
        TLS_KEY: 'key.pem',
        TRUST_PROXY: 'loopback',
        NOTIFICATION_PORT: '0',
        NOTIFICATION_URL: 'https://notify.example',
        SMTP_URL: 'smtp://localhost',
        MAIL_REPLY_TO: 'a@example.com',
        DKIM_DOMAIN: 'example.com',
        DKIM_SELECTOR: 'daybook',
        DKIM_KEY: 'dkim.pem',
        WEBHOOK_SCHEDULE: '0s,5s',
      }),
    )
    expect(Object.keys(BAD)).to.include.members(known)
  })

  for (const [name, values] of Object.entries(BAD))
    it(`${name} stops the start when it is not understood, by its name`, () => {
      for (const value of values) {
        const message = refusal({ [name]: value })
        expect(message.split('\n')[0], value).to.equal('these settings are not valid:')
        // In our words, and once: `must be an integer from 0 to 65535`.
        expect(message, value).to.match(new RegExp(`^  ${name}(\\.\\d+)?: (must|each|is) [^\n]*$`, 'm'))
        if (name !== 'ROLES') expect(message.split('\n'), value).to.have.length(2)
      }
    })

  it('of ports: the default of NOTIFICATION_PORT has to be a port, and another than PORT', () => {
    expect(refusal({ PORT: '65535' })).to.match(/^NOTIFICATION_PORT: must be set where PORT is 65535: /)
    expect(readConfig({ PORT: '65535', NOTIFICATION_PORT: '0' }).PORT).to.equal(65_535)
    expect(readConfig({ ...servers, SECRETS_KEYS, PORT: '65535', ROLES: 'api' }).PORT).to.equal(65_535)
    expect(readConfig({ PORT: '65534' }).NOTIFICATION_PORT).to.equal(undefined)
    expect(refusal({ PORT: '4000', NOTIFICATION_PORT: '4000' })).to.match(
      /^NOTIFICATION_PORT: must be another/,
    )
    expect(readConfig({ PORT: '0', NOTIFICATION_PORT: '0' }).PORT).to.equal(0)
  })

  it('of threads that answer requests: they are for embedded engines', () => {
    expect(readConfig({ WORKERS: '4' }).WORKERS).to.equal(4)
    for (const servers of [
      { EVENTSTORE_URL: 'esdb://localhost:2113', SECRETS_KEYS },
      { MONGODB_URL: 'mongodb://localhost' },
    ]) {
      expect(refusal({ ...servers, WORKERS: '2' })).to.match(/^WORKERS: must be 1 with /)
      expect(readConfig({ ...servers, WORKERS: '1' }).WORKERS).to.equal(1)
    }
  })

  it('that are wrong are all named at once', () => {
    const message = refusal({ PORT: 'x', LOG_LEVEL: 'loud', READ_YOUR_WRITES_MS: '-1', HOST: 'localhost' })
    const named = [...message.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name)
    expect(named).to.deep.equal(['PORT', 'LOG_LEVEL', 'READ_YOUR_WRITES_MS'])
  })

  it('keep their secrets: no message holds a token or a password', () => {
    const secret = 'hunter2 hunter2'
    const messages = [
      refusal({ BOOTSTRAP_TOKEN: secret }),
      refusal({ BOOTSTRAP_TOKEN: `${'hunter2'.repeat(50)}` }),
      refusal({ EVENTSTORE_URL: 'https://admin:hunter2@localhost:2113' }),
      refusal({ MONGODB_URL: 'https://admin:hunter2@localhost' }),
      refusal({ RABBITMQ_URL: 'https://admin:hunter2@localhost' }),
      refusal({ RABBITMQ_URL: 'amqp://admin:hunter2/?#@localhost' }),
      refusal({ PORT: 'x', BOOTSTRAP_TOKEN: 'hunter2', ROLES: 'x' }),
      refusal({
        ROLES: 'api',
        EVENTSTORE_URL: 'esdb://admin:hunter2@localhost',
        BOOTSTRAP_TOKEN: 'hunter2hunter2hunter2',
      }),
    ]
    for (const message of messages) expect(message).to.not.include('hunter2')
  })
})

describe('roles', () => {
  it('are divided between processes only where both stores are servers', () => {
    expect([...readConfig({ ...servers, SECRETS_KEYS, ROLES: 'webhooks' }).ROLES]).to.deep.equal(['webhooks'])
    for (const one of [{}, { MONGODB_URL: servers.MONGODB_URL }, { EVENTSTORE_URL: servers.EVENTSTORE_URL }])
      expect(refusal({ ...one, ROLES: 'api' })).to.match(/^ROLES: .*EVENTSTORE_URL and MONGODB_URL/)
  })

  it('may all be named, in any order and twice, also without servers', () =>
    expect(readConfig({ ROLES: 'warehouse,scheduler,webhooks,projections,api,api' }).ROLES.size).to.equal(5))

  it('have a warehouse only beside the API that answers from it', () => {
    const both = readConfig({ ...servers, SECRETS_KEYS, ROLES: 'api,warehouse' }).ROLES
    expect([...both]).to.deep.equal(['api', 'warehouse'])
    expect(refusal({ ...servers, ROLES: 'warehouse,projections' })).to.match(/^ROLES: warehouse needs api/)
  })
})

describe('the transport', () => {
  const tls = { TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' }

  it('is plain HTTP on loopback only', () => {
    for (const HOST of ['127.0.0.1', '127.8.8.8', '::1', 'localhost'])
      expect(readConfig({ HOST }).HOST).to.equal(HOST)
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'records.example.com', '127.0.0.1.example.com'])
      expect(refusal({ HOST }), HOST).to.match(/^HOST: .*TLS_CERT and TLS_KEY.*TRUST_PROXY/)
  })

  it('may leave the machine by TLS, or by a proxy that is known', () => {
    expect(readConfig({ HOST: '0.0.0.0', ...tls })).to.include(tls)
    expect(readConfig({ HOST: '0.0.0.0', TRUST_PROXY: '2' }).TRUST_PROXY).to.equal(2)
  })

  it('needs the certificate and its key', () => {
    for (const name of ['TLS_CERT', 'TLS_KEY'] as const)
      expect(refusal({ [name]: tls[name] })).to.equal('TLS_CERT and TLS_KEY: one needs the other')
  })
})

describe('a setting that is misspelt', () => {
  it('is named with the one that was meant', () => {
    const found = misspeltSettings({ PROT: '1', WEBHOK_SCHEDULE: 'x', BOOTSTRAP_EMIAL: 'x', TLS_KEYS: 'x' })
    expect(found).to.deep.equal([
      'PROT: did you mean PORT?',
      'WEBHOK_SCHEDULE: did you mean WEBHOOK_SCHEDULE?',
      'BOOTSTRAP_EMIAL: did you mean BOOTSTRAP_EMAIL?',
      'TLS_KEYS: did you mean TLS_KEY?',
    ])
    expect(misspeltSettings({ WEBHOOK_PROXY: 'x' })).to.deep.equal([
      'WEBHOOK_PROXY: there is no such setting',
    ])
  })

  it('is what other services call it, unless it is set', () => {
    expect(misspeltSettings({ MONGO_URL: 'x', ESDB_URL: 'x', MONGODB_URL: '' })).to.deep.equal([
      'MONGO_URL: did you mean MONGODB_URL?',
      'ESDB_URL: did you mean EVENTSTORE_URL?',
    ])
    expect(misspeltSettings({ MONGO_URL: 'x', MONGODB_URL: 'mongodb://localhost' })).to.deep.equal([])
  })

  it('is nothing else of the environment', () => {
    const others = {
      HOME: '/',
      PATH: '/',
      LANG: 'C',
      HOSTNAME: 'x',
      PWD: '/',
      USER: 'x',
      TERM: 'x',
      NODE_ENV: 'x',
    }
    expect(
      misspeltSettings({ ...others, PORT: '1', DAYBOOK_URL: 'x', NODE_COMPILE_CACHE: 'x' }),
    ).to.deep.equal([])
  })
})
