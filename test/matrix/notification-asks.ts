/** The routes of notifications: on the port of their own service, and below `/api/v1`. */
import type { Fields } from '../../src/domain/json.ts'
import { ask, type Ask } from './asks.ts'

/** Before the paths of the other service's routes, in names of routes and in what is asked. */
export const ELSEWHERE = 'notifications:'

const MAY = 'notify template'
const template = (name: string) => ({
  template: { name, trigger: 'service-request-created', subject: 'A request', body: '<p>{{Subject}}</p>' },
})
const layout = (name: string) => ({ layout: { name, body: '<div>{{content}}</div>' } })
let count = 0

/** @param base before their paths; @param to before what is asked */
function notificationAsks(base: string, to: string): readonly Ask[] {
  const one = (
    method: string,
    path: string,
    sent?: Fields | ((keys: { readonly contract: string }) => Fields),
    more: Parameters<typeof ask>[3] = {},
  ) =>
    ask(
      `${method} ${base}${path}`,
      MAY,
      ({ things }) => {
        const named = path.startsWith('/messages')
          ? things.message
          : path.startsWith('/suppressions')
            ? things.suppression
            : path.startsWith('/layouts')
              ? things.layout
              : things.template
        const body = typeof sent === 'function' ? sent(things) : sent
        return { path: `${to}${path.replace(':key', named).replace(':version', '1')}`, body }
      },
      more,
    )
  return [
    one('GET', '/templates'),
    one('POST', '/templates', () => template(`New ${++count}`), { expects: [201] }),
    one('POST', '/templates/validate', template('Valid')),
    one('GET', '/templates/:key'),
    one('PUT', '/templates/:key', () => template(`Changed ${++count}`), { uses: 'template' }),
    one('DELETE', '/templates/:key', undefined, { uses: 'template' }),
    one('GET', '/templates/:key/versions/:version'),
    one('GET', '/templates/:key/versions'),
    one('POST', '/templates/:key/revert', { version: 1 }, { uses: 'template' }),
    one('GET', '/layouts'),
    one('POST', '/layouts', () => layout(`New ${++count}`), { expects: [201] }),
    one('POST', '/layouts/validate', layout('Valid')),
    one('GET', '/layouts/:key'),
    one('PUT', '/layouts/:key', () => layout(`Changed ${++count}`), { uses: 'layout' }),
    one('DELETE', '/layouts/:key', undefined, { uses: 'layout' }),
    one('GET', '/layouts/:key/versions'),
    one('GET', '/layouts/:key/versions/:version'),
    one('POST', '/layouts/:key/revert', { version: 1 }, { uses: 'layout' }),
    one('POST', '/templates/:key/preview', ({ contract }) => ({ record: contract }), {
      shows: [['read', 'contract']],
    }),
    // Tokens that belong to no user have no address of their own.
    one('POST', '/templates/:key/test', ({ contract }) => ({ record: contract }), {
      expects: [200, 409],
      shows: [['read', 'contract']],
    }),
    one('GET', '/triggers'),
    one('GET', '/messages'),
    one('GET', '/messages/:key'),
    one('POST', '/messages/:key/resend', undefined, { uses: 'message' }),
    // Only what is uncertain can be settled.
    one('POST', '/messages/:key/settle', { as: 'sent' }, { expects: [409] }),
    one('GET', '/bounces'),
    one('GET', '/suppressions'),
    one('POST', '/suppressions', () => ({ Address: `a${++count}@example.com` }), { expects: [201] }),
    one('DELETE', '/suppressions/:key', undefined, { uses: 'suppression' }),
  ]
}

export const notificationRouteAsks: readonly Ask[] = [
  ...notificationAsks('/api/v1/notifications', 'notifications'),
  ...notificationAsks(ELSEWHERE, ELSEWHERE),
  ask(`GET ${ELSEWHERE}/openapi.json`, 'open', `${ELSEWHERE}/openapi.json`),
  ask(`GET ${ELSEWHERE}/docs`, 'open', `${ELSEWHERE}/docs`),
  // Only links that the service itself has written lead anywhere.
  ask(`GET ${ELSEWHERE}/u/:signed`, 'open', `${ELSEWHERE}/u/none`, { expects: [404] }),
  ask(`POST ${ELSEWHERE}/inbound/bounces/:key`, 'open', `${ELSEWHERE}/inbound/bounces/none`, {
    expects: [404],
  }),
  ask(`POST ${ELSEWHERE}/u/:signed`, 'open', `${ELSEWHERE}/u/none`, { expects: [404] }),
]
