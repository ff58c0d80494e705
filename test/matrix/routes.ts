/** The routes of a service, read from its routers: what express dispatches by, and so all that can be asked. */
import express, { type Express, type RequestHandler } from 'express'
import { policyOf, type Policy } from '../../src/api/policy.ts'

export interface Route {
  /** `ALL`: every method that no other route of the path takes. */
  readonly method: string
  /** With its parameters, such as `/api/v1/:object/:key`. */
  readonly path: string
  /** The policies that a request passes, in their order. */
  readonly policies: readonly Policy[]
}

/** What express keeps of a router; its types do not show it. */
interface Layer {
  readonly rawPath?: unknown
  readonly handle: RequestHandler & { readonly stack?: readonly Layer[] }
  readonly method?: string
  readonly route?: { readonly path: string; readonly stack: readonly Layer[] }
}

/** Keeps the applications that are made while `start` runs: that of the API, then that of the notification service. */
export async function appsMadeBy<T>(
  start: () => Promise<T>,
): Promise<{ readonly made: T; readonly api: Express; readonly notifications: Express }> {
  const apps: Express[] = []
  const { init } = express.application
  express.application.init = function (this: Express) {
    apps.push(this)
    init.call(this)
  }
  try {
    const made = await start()
    const [api, notifications, ...more] = apps
    if (!api || !notifications || more.length > 0)
      throw new Error(`${apps.length} applications were made, not two`)
    return { made, api, notifications }
  } finally {
    express.application.init = init
  }
}

export function routesOf(app: Express): Route[] {
  return below('', (app.router as unknown as { readonly stack: readonly Layer[] }).stack)
}

function below(base: string, stack: readonly Layer[]): Route[] {
  return stack.flatMap(({ rawPath, handle, route }): Route[] => {
    if (route) return methodsOf(route.stack).map((method) => routeOf(method, base + route.path, route.stack))
    if (!handle.stack) return []
    // A path of any other kind would be left out of every check.
    if (typeof rawPath !== 'string') throw new Error(`a router below ${base} has no plain path`)
    return below(base + rawPath.replace(/\/$/, ''), handle.stack)
  })
}

function methodsOf(stack: readonly Layer[]): string[] {
  return [...new Set(stack.map(({ method }) => method?.toUpperCase() ?? 'ALL'))]
}

function routeOf(method: string, path: string, stack: readonly Layer[]): Route {
  const own = stack.filter((layer) => (layer.method?.toUpperCase() ?? 'ALL') === method)
  const policies = own.flatMap(({ handle }) => policyOf(handle) ?? [])
  return { method, path: path.replace(/(?<=.)\/$/, ''), policies }
}
