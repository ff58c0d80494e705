/** Runs the checks in the Node that runs this: `node in-node.js <package> <url> <token> <name>`; prints what they found. */
import { pathToFileURL } from 'node:url'
import { found } from './checks.js'

const [path = '', url = '', token = '', name = ''] = process.argv.slice(2)
const client = await import(pathToFileURL(path).href)
process.stdout.write(JSON.stringify(await found(client, { url, token, name })))
