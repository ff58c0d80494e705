/** What the URL of a broker can say: who, to which virtual host, and over TLS. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectSocket, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Unavailable } from '../../../src/domain/errors.ts'
import { caught, hint } from '../../contracts/hints/listening.ts'
import type { RabbitMq } from '../../engines/rabbitmq/start.ts'
import { publishAtLast, queuesOn } from './queues.ts'

export function rabbitmqAddresses(broker: () => RabbitMq): void {
  const queues = queuesOn(() => broker().url)

  it('says who, and to which virtual host', async () => {
    await broker().control('add_vhost', 'house/1')
    await broker().control('add_user', 'anna', 'p@ss:wörd/1')
    await broker().control('set_permissions', '-p', 'house/1', 'anna', '.*', '.*', '.*')
    const who = `anna:${encodeURIComponent('p@ss:wörd/1')}`
    const queue = queues.open({
      url: `amqp://${who}@127.0.0.1:${broker().port}/${encodeURIComponent('house/1')}`,
    })
    await publishAtLast(queue, 'there')
    expect(await broker().control('list_queues', '-p', 'house/1', 'name')).to.contain(
      `${queues.prefix}.hints`,
    )
    await broker().control('delete_vhost', 'house/1')
  })

  it('with a wrong password ends in Unavailable, and the password is not told', async () => {
    const queue = queues.open({ url: `amqp://guest:secret-7@127.0.0.1:${broker().port}` })
    const error = await caught(queue.publish([hint('refused')]))
    expect(error).to.be.instanceOf(Unavailable)
    expect((error as Error).message).to.contain('ACCESS_REFUSED')
    expect(`${String(error)} ${queues.troubles.join()}`).to.not.contain('secret-7')
  })

  it('with amqps:// speaks TLS, to a broker whose certificate it can check', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const subject = ['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    await promisify(execFile)('openssl', [...request, ...subject, '-keyout', key, '-out', cert])
    const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (near) => {
      const far = connectSocket(broker().port, '127.0.0.1')
      near.pipe(far).pipe(near)
      near.on('error', () => far.destroy())
      far.on('error', () => near.destroy())
    }).listen(0, '127.0.0.1')
    await once(tls, 'listening')
    const url = `amqps://127.0.0.1:${(tls.address() as AddressInfo).port}`

    const distrustful = queues.open({ url })
    expect(await caught(distrustful.publish([hint('unsent')]))).to.be.instanceOf(Unavailable)
    const trusting = queues.open({ url: `${url}?cacertfile=${encodeURIComponent(cert)}` })
    await publishAtLast(trusting, 'sent')
    expect((await trusting.status()).state).to.equal('open')

    await Promise.all([distrustful.close(), trusting.close()])
    tls.close()
    rmSync(folder, { recursive: true })
  })
}
