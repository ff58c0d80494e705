/** The peer as a process of its own: `node test/peers/eventstoredb/main.ts <file or :memory:> [port]`; prints `PORT n`. */
import { startPeer } from './start-peer.ts'

const [file = ':memory:', port = '0'] = process.argv.slice(2)
const peer = await startPeer({ file, port: Number(port) })
console.log(`PORT ${peer.port}`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void peer.stop())
