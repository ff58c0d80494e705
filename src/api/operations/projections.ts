/** `/api/v1/projections`: the status of every projection; to rebuild one, or resume one that is parked. */
import { meantName } from '../../domain/filter/closest-name.ts'
import { Router, type RequestHandler } from 'express'
import { NotFound } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import type { ProjectionControl, PutAside } from '../../ports/projection-control.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import type { KnownStatus, KnownStatuses } from '../../projections/known-statuses.ts'
import type { Area } from '../area.ts'
import { noParameters } from '../records/list-query.ts'
import { projectionPaths, projectionSchemas } from './openapi/projections.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { requires } from '../policy.ts'
import { sendJson, success } from '../http/send.ts'

export interface Projections {
  /** Of the read models, the warehouse and the webhooks. */
  readonly controls: readonly ProjectionControl[]
  readonly statuses: () => Promise<KnownStatuses>
  /** Position of the last event. */
  readonly head: () => Promise<Position>
}

/** A projection as it is served. */
interface Item {
  readonly Name: string
  readonly Position: number
  /** Positions that it has still to handle. */
  readonly Lag: number
  readonly State: ProjectionStatus['state'] | 'unreachable'
  readonly Error: { readonly Position: number; readonly Message: string } | null
  /** Why it does not get on now, though no event is at fault. */
  readonly Trouble: string | null
  readonly Rebuilding: { readonly Position: number; readonly Of: number } | null
  /** Records that it does not show in whole because the store refused them: how many in all, and those of the company. */
  readonly PutAside: {
    readonly Count: number
    readonly Records: readonly { readonly Object: string; readonly Id: string; readonly Message: string }[]
  }
}

export function projectionsArea({ controls, statuses, head }: Projections): Area {
  const items = async (company: Company): Promise<Item[]> => {
    // Asked for before the positions: a lag is never negative for long.
    const end = await head()
    const { known, failures } = await statuses()
    const [failure] = failures
    if (known.length === 0 && failure) throw failure
    const putAside = known.some(({ status }) => status.putAside)
      ? (await Promise.all(controls.map(async (control) => (await control.putAside?.(company)) ?? []))).flat()
      : []
    return known.map((one) => itemOf(one, end, putAside))
  }

  const controlOf = async (name: string): Promise<ProjectionControl> => {
    const { known, failures } = await statuses()
    const [failure] = failures
    const found = known.find(({ status }) => status.name === name)
    if (found) return found.control
    // It may be one of those that cannot be asked.
    if (failure) throw failure
    const names = known.map(({ status }) => status.name)
    throw new NotFound(`there is no projection ${name.slice(0, 100)}${meantName(name, names)}`)
  }

  const itemNamed = async (name: string, company: Company) =>
    success(JSON.stringify((await items(company)).find(({ Name }) => Name === name)))

  const list: RequestHandler = async (request, response) => {
    noParameters(request)
    const all = await items(principalOf(response).company)
    const pagination = { Page: 1, PageSize: all.length, TotalRecords: all.length, TotalPages: 1 }
    sendJson(response, 200, JSON.stringify({ Success: true, Data: all, Pagination: pagination }))
  }

  const asked = (what: 'rebuild' | 'resume', status: number): RequestHandler => {
    return async (request, response) => {
      noParameters(request)
      const name = request.params['name'] as string
      const control = await controlOf(name)
      await control[what](name)
      sendJson(response, status, await itemNamed(name, principalOf(response).company))
    }
  }

  const router = Router({ caseSensitive: true })
  const operator = requires('operate')
  refuseOthers(router.route('/').get(operator, list))
  refuseOthers(router.route('/:name/rebuild').post(operator, asked('rebuild', 202)))
  refuseOthers(router.route('/:name/resume').post(operator, asked('resume', 200)))

  return {
    segment: 'projections',
    router,
    openapi: {
      tag: { name: 'Projections', description: 'What is made of the events, and how far it has come.' },
      paths: projectionPaths,
      schemas: projectionSchemas,
    },
  }
}

function itemOf({ status, failure }: KnownStatus, head: Position, records: readonly PutAside[]): Item {
  const { name, position, state, error, trouble, rebuilding, putAside = 0 } = status
  const own = records.filter(({ projection }) => projection === name)
  return {
    Name: name,
    Position: position,
    Lag: Math.max(0, head - position),
    State: failure === undefined ? state : 'unreachable',
    Error: error ? { Position: error.position, Message: error.message } : null,
    Trouble: trouble ?? null,
    Rebuilding: rebuilding ? { Position: rebuilding.position, Of: rebuilding.of } : null,
    PutAside: {
      Count: putAside,
      Records: own.map(({ object, key, message }) => ({ Object: object, Id: key, Message: message })),
    },
  }
}
