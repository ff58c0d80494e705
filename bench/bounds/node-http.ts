/** The bound of any HTTP service on this runtime: `node:http` with the same 1 KB answer for every request. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = JSON.stringify({ Success: true, Data: 'x'.repeat(1_024 - 27) })
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length }

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`ready on port ${(server.address() as AddressInfo).port}`))
