/**
 * `node scripts/integrations/readings.ts [--rows 100000] [--clients 4]`: readings in batches of 500, as one gateway after the other sends
 * them. Prints how many rows a second were acknowledged, which is when they are on the disk, and when lists show all of them.
 */
import { testService } from '../../test/support/service.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const BATCH = 500
const SENSORS = 50
const { rows, clients } = numbersFromArguments({ rows: 100_000, clients: 4 })

const service = await testService({ settings: { BATCH_ROWS_PER_MINUTE: '0' } })
try {
  const sensors: string[] = []
  for (let n = 0; n < SENSORS; n++) sensors.push((await service.create('sensor', { Name: `Sensor ${n}` })).Id)
  let left = Math.ceil(rows / BATCH)
  const batch = (number: number) =>
    Array.from({ length: BATCH }, (_, n) => ({
      Sensor: sensors[n % SENSORS]!,
      MeasuredAt: new Date(1_893_456_000_000 + number * 1_000).toISOString(),
      Value: n / 10,
      MeasurementUnit: '°C',
      ReadingId: `${number}/${n}`,
    }))
  const send = async () => {
    while (left > 0) {
      const { status, text } = await service.post('sensorreading/batch', { Records: batch(left--) })
      if (status !== 200 || text.includes('"Error"')) throw new Error(text.slice(0, 500))
    }
  }
  const began = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(Array.from({ length: clients }, send))
  const acknowledged = performance.now()
  const sent = Math.ceil(rows / BATCH) * BATCH
  const shown = async () => (await service.list('sensorreading', { pageSize: '1' })).pagination.TotalRecords
  while ((await shown()) < sent);
  const all = performance.now()
  const used = process.cpuUsage(cpu)
  const rate = (ms: number) => Math.round(sent / (ms / 1_000)).toLocaleString('en')
  console.log(`${sent.toLocaleString('en')} readings in batches of ${BATCH}, ${clients} clients`)
  console.log(`acknowledged: ${rate(acknowledged - began)} rows a second, each on the disk`)
  console.log(`shown: ${rate(all - began)} rows a second`)
  console.log(`CPU time of all, clients included: ${((used.user + used.system) / sent).toFixed(0)} µs a row`)
} finally {
  await service.discard()
}
