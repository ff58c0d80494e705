/**
 * `/console`: the web console, a page and its assets. It is a client of the API like any other: nothing here knows of
 * records. The page may run scripts of its own origin only, and none that stand in the page; styles that scripts add
 * carry the nonce of the answer.
 */
import { randomBytes } from 'node:crypto'
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { NotFound } from '../../domain/errors.ts'
import { pageHeaders } from '../http/common-headers.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { headersOf, send } from '../http/send.ts'
import { needsNoGrant } from '../policy.ts'
import { BASE, NONCE, type ConsoleAsset, type ConsoleFiles } from './files.ts'

const PAGE = 'text/html; charset=utf-8'
/** Pages of the console lie no deeper. */
const DEEPEST = 10

export function consoleRoutes(files: ConsoleFiles | undefined): Router {
  const open = needsNoGrant('open')
  const page: RequestHandler = (request, response) =>
    files ? sendPage(files, request, response) : send(response, 503, notBuiltHeaders, PAGE, NOT_BUILT)
  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/console').get(open, page))
  // As often as a browser likes: a page is a score of them.
  refuseOthers(
    router.route('/console/assets/:name').get(needsNoGrant('probe'), async (request, response) => {
      const name = request.params['name']
      const asset = files?.asset(name)
      if (!asset) throw new NotFound(`the console has no asset ${name.slice(0, 100)}`)
      await sendAsset(name, asset, request, response)
    }),
  )
  refuseOthers(router.route('/console/*page').get(open, page))
  return router
}

/** Whether a person with a browser asks, and not a program. */
export function wantsPage({ headers }: Request): boolean {
  return headers.accept?.includes('text/html') ?? false
}

function sendPage({ page }: ConsoleFiles, { path }: Request, response: Response): void {
  const depth = path.split('/').length - 2
  if (depth > DEEPEST) throw new NotFound(`there is no ${path.slice(0, 200)}`)
  // Relative, so that it holds below a proxy's path too.
  const base = depth === 0 ? 'console/assets/' : `${'../'.repeat(depth - 1)}assets/`
  const nonce = randomBytes(16).toString('base64')
  const text = page.replaceAll(BASE, base).replaceAll(NONCE, nonce)
  send(response, 200, pageHeaders(policy(nonce)), PAGE, text)
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A name stands for one content for ever, so that browsers need not ask again. */
async function sendAsset(
  name: string,
  asset: ConsoleAsset,
  request: Request,
  response: Response,
): Promise<void> {
  const packed = asset.isPacked && request.acceptsEncodings('gzip') === 'gzip'
  const tag = `"${name}${packed ? '-gzip' : ''}"`
  const headers = cacheable(response, {
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ETag: tag,
    Vary: 'Accept-Encoding',
  })
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304, headers).end()
    return
  }
  const bytes = await asset.read(packed)
  const packing = packed ? ['Content-Encoding', 'gzip'] : []
  headers.push('Content-Type', asset.type, 'Content-Length', String(bytes.length), ...packing)
  response.writeHead(200, headers)
  if (request.method === 'HEAD') response.end()
  else response.end(bytes)
}

/** All headers of an answer, without the one that keeps every other answer out of caches. */
function cacheable(response: Response, own: Readonly<Record<string, string>>): string[] {
  const all = headersOf(response, own)
  const at = all.indexOf('Cache-Control')
  all.splice(at, 2)
  return all
}

const notBuiltHeaders = pageHeaders("default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Daybook: the console is not built</title></head>
<body>
<h1>The console is not built</h1>
<p>The service works as ever; only these pages are missing. In its folder run</p>
<pre>npm ci &amp;&amp; npm run build --workspace console</pre>
<p>and start the service again. The API describes itself at <a href="/docs">/docs</a>.</p>
</body>
</html>
`
