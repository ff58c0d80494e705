/** `/api/v1/projections`: how every projection stands; to build one anew, or let a parked one go on ('Beyond the specification'). */
import { Router, type RequestHandler } from 'express'
import { NotFound } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import type { Area } from '../area.ts'
import { noParameters } from '../records/list-query.ts'
import { projectionPaths, projectionSchemas } from './openapi/projections.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { requires } from '../policy.ts'
import { sendJson, success } from '../http/send.ts'

export interface Projections {
  /** Those of the read models, of the warehouse, of the webhooks. */
  readonly controls: readonly ProjectionControl[]
  /** Position of the last event. */
  readonly head: () => Promise<Position>
}

/** A projection as it is served. */
interface Item {
  readonly Name: string
  readonly Position: number
  /** Positions that it has still to handle. */
  readonly Lag: number
  readonly State: ProjectionStatus['state']
  readonly Error: { readonly Position: number; readonly Message: string } | null
  readonly Rebuilding: { readonly Position: number; readonly Of: number } | null
}

export function projectionsArea({ controls, head }: Projections): Area {
  const all = async () => (await Promise.all(controls.map((control) => control.status()))).flat()

  const items = async (): Promise<Item[]> => {
    // Asked for before the positions: a lag is never negative for long.
    const end = await head()
    return (await all()).map((status) => itemOf(status, end))
  }

  const controlOf = async (name: string): Promise<ProjectionControl> => {
    for (const control of controls)
      if ((await control.status()).some((status) => status.name === name)) return control
    throw new NotFound(`there is no projection ${name.slice(0, 100)}`)
  }

  const itemNamed = async (name: string) =>
    success(JSON.stringify((await items()).find(({ Name }) => Name === name)))

  const list: RequestHandler = async (request, response) => {
    noParameters(request)
    const all = await items()
    const pagination = { Page: 1, PageSize: all.length, TotalRecords: all.length, TotalPages: 1 }
    sendJson(response, 200, JSON.stringify({ Success: true, Data: all, Pagination: pagination }))
  }

  const asked = (what: 'rebuild' | 'resume', status: number): RequestHandler => {
    return async (request, response) => {
      noParameters(request)
      const name = request.params['name'] as string
      const control = await controlOf(name)
      await control[what](name)
      sendJson(response, status, await itemNamed(name))
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

function itemOf({ name, position, state, error, rebuilding }: ProjectionStatus, head: Position): Item {
  return {
    Name: name,
    Position: position,
    Lag: Math.max(0, head - position),
    State: state,
    Error: error ? { Position: error.position, Message: error.message } : null,
    Rebuilding: rebuilding ? { Position: rebuilding.position, Of: rebuilding.of } : null,
  }
}
