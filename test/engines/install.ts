/**
 * `npm run engines:install`: brings what tests start by themselves, the servers FerretDB, RabbitMQ, PostgreSQL, OpenSSH, aiosmtpd,
 * Postfix, Mosquitto and WsgiDAV, scim2-tester and the browser Chromium, as far as they can be had here. Ends with 1 when one cannot; its installer says why,
 * and the others are there all the same.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const engines = [
  'ferretdb',
  'rabbitmq',
  'postgres',
  'openssh',
  'chromium',
  'aiosmtpd',
  'postfix',
  'mosquitto',
  'wsgidav',
  'scim-tester',
  'programs',
]
for (const engine of engines) {
  const installer = join(import.meta.dirname, engine, 'install.ts')
  const { status } = spawnSync(process.execPath, [installer], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
