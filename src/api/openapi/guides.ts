/** The guides of `docs/`, served as the text that they are. Only a name of this list is ever read. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router } from 'express'
import { refuseOthers } from '../http/not-allowed.ts'
import { NotFound } from '../../domain/errors.ts'
import { needsNoGrant } from '../policy.ts'
import { send } from '../http/send.ts'

export interface Guide {
  readonly name: string
  readonly title: string
}

const guide = (name: string, title: string): Guide => ({ name, title })

export const GUIDES: readonly Guide[] = [
  guide('interface', 'Requests, answers, filters'),
  guide('identity', 'Users, sessions, tokens'),
  guide('access', 'Who may do what'),
  guide('history', 'History, as-of, audit'),
  guide('workflow', 'Workflow and approval'),
  guide('webhooks', 'Webhooks'),
  guide('integrations', 'Integrations'),
  guide('imports', 'Imports'),
  guide('bank', 'Bank statements'),
  guide('notifications', 'Notifications'),
  guide('warehouse', 'The warehouse'),
  guide('clients', 'Clients, and generators of them'),
  guide('recipes', 'Recipes for analysts'),
  guide('definitions', 'Object definitions'),
  guide('console', 'The web console'),
  guide('operations', 'Operations'),
  guide('production', 'In production'),
  guide('durability', 'Durability'),
]

export const guidePath = ({ name }: Guide): string => `docs/guides/${name}.md`

const folder = join(import.meta.dirname, '..', '..', '..', 'docs')

export function guideRoutes(): Router {
  const router = Router()
  refuseOthers(
    router.route('/docs/guides/:page').get(needsNoGrant('open'), async (request, response) => {
      const found = GUIDES.find(({ name }) => `${name}.md` === request.params['page'])
      if (!found)
        throw new NotFound(
          `There is no such guide. The guides are ${GUIDES.map(({ name }) => `${name}.md`).join(', ')}.`,
        )
      const text = await readFile(join(folder, `${found.name}.md`), 'utf8')
      send(response, 200, {}, 'text/plain; charset=utf-8', text)
    }),
  )
  return router
}
