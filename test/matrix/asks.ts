/**
 * How each route is asked so that whoever may is answered with success, and what it takes to be let in: written down
 * beside the code, as the roles are meant. A route that is not here fails the matrix.
 */
import type { Policy } from '../../src/api/policy.ts'
import type { Sent } from '../support/service.ts'
import type { Made, Things } from './things.ts'
import type { Company, Principal } from './world.ts'

export interface Asked {
  readonly things: Things
  readonly own: Company
  /** Key of a token with the role of whoever asks. */
  readonly token: string
}

export interface Ask {
  /** As the router has it: `GET /api/v1/:object`. */
  readonly route: string
  readonly method: string
  readonly policies: readonly Policy[]
  /** Grants that it takes beside those, and what else decides. */
  readonly needs: readonly (readonly [action: string, object: string])[]
  readonly mayAlso: (principal: Principal) => boolean
  /** Grants that the thing itself takes, once it is found. */
  readonly shows: readonly (readonly [action: string, object: string])[]
  /** Whose things the path names, if any; those of the service are the same for every company. */
  readonly about: 'nothing' | 'company' | 'service'
  /** What does not survive an answer with success: it is made anew for each. */
  readonly uses: Made | undefined
  /** Statuses of success. */
  readonly expects: readonly number[]
  /** The credential does not survive it. */
  readonly usesUp: boolean
  readonly send: (asked: Asked) => { readonly path: string } & Sent
}

type More = Partial<Pick<Ask, 'needs' | 'shows' | 'mayAlso' | 'about' | 'uses' | 'expects' | 'usesUp'>>

/** @param policy `read :object`, `administer webhook`; an action alone is about no object */
export function ask(
  route: string,
  policy: string | readonly string[],
  send: Ask['send'] | string,
  more: More = {},
): Ask {
  const [method = '', path = ''] = route.split(' ')
  const policies = [policy].flat().map((text) => {
    const [action = '', object = '*'] = text.split(' ')
    return { action, object } as Policy
  })
  return {
    route,
    method,
    policies,
    needs: [],
    shows: [],
    mayAlso: () => true,
    about: /:key|:delivery/.test(path) ? 'company' : 'nothing',
    uses: undefined,
    expects: [200],
    usesUp: false,
    send: typeof send === 'string' ? () => ({ path: send }) : send,
    ...more,
  }
}
