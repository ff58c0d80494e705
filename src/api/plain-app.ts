/** Express as every request needs it, whichever thread answers. */
import { parse as parseQuery } from 'node:querystring'
import express, { type Express } from 'express'
import type { TransportOptions } from './http/transport.ts'

export function plainApp({ trustProxy }: Pick<TransportOptions, 'trustProxy'>): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // versions are the ETags here
  // Plain names and values, and all of them: what is passed over cannot be refused.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }))
  app.set('trust proxy', trustProxy ?? false)
  return app
}
