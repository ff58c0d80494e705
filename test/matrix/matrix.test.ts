/**
 * Who may do what: every route that the router has, asked by everyone there is for what is theirs, what is another
 * company's, what they are not shown and what is nowhere.
 */
import { expect } from 'chai'
import { APP_ORIGIN } from '../api/identity/identity-support.ts'
import {
  client,
  testService,
  type Answer,
  type Client,
  type Sent,
  type TestService,
} from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'
import type { Ask } from './asks.ts'
import { ELSEWHERE, notificationRouteAsks } from './notification-asks.ts'
import { otherAsks } from './other-asks.ts'
import { packAsks, showsItsOwnRows } from './pack-asks.ts'
import { isGranted, isLeftOut, isLetIn, isOpen } from './let-in.ts'
import { recordAsks } from './record-asks.ts'
import { appsMadeBy, routesOf, type Route } from './routes.ts'
import { contractBody, loggedIn, madeAs, makers, thingsOf, unknownLike, type Things } from './things.ts'
import { makeWorld, type Outsider, type Principal, type World } from './world.ts'

const asks = [...recordAsks, ...packAsks, ...otherAsks, ...notificationRouteAsks]
/** Roles that see only some records. */
const NARROW = 'kiel_clerk'
/** The other company's, where the path leads through a thing of one's own. */
const BELOW = 'other below own'
/** Objects that the service keeps for itself. */
const HIDDEN = 'user token role webhook company session template layout notification suppression'.split(' ')
/** Who asks at the same time. */
const LANES = 6

describe('the matrix of routes and roles', function () {
  this.timeout(240_000)
  let service: TestService
  /** The port of notifications. */
  let elsewhere: Client
  let routes: readonly Route[]
  let world: World
  let [own, other]: Things[] = []
  /** Keys that nobody has. */
  let nothing: Things
  /** A contract outside the rows of `NARROW`. */
  let hidden: string
  let atFirst: readonly string[]
  let cells = 0
  const wrong: string[] = []

  before(async () => {
    const clock = manualClock()
    const { made, api, notifications } = await appsMadeBy(() =>
      testService({ settings: { APP_ORIGIN }, clock }),
    )
    service = made
    elsewhere = client(() => service.notificationUrl)
    const below = routesOf(notifications).map((route) => ({ ...route, path: `${ELSEWHERE}${route.path}` }))
    routes = [...routesOf(api), ...below]
    world = await makeWorld(service, clock)
    own = await thingsOf(world.own, clock.now())
    nothing = unknownLike(own)
    other = await thingsOf(world.other, clock.now())
    const { admin, rome } = world.own
    hidden = (await admin.create('contract', contractBody({ kiel: rome }))).Id
    atFirst = await untouched()
  })
  after(async () => {
    await service.discard()
    console.log(`      ${cells} cells`)
  })

  /** What nobody changes here: all of the other company but its name, which operators keep, and the things that the refused ask for. */
  const untouched = async () => {
    const { text } = await world.other.admin.get('audit/export')
    const theirs = text
      .split('\n')
      // That a token was used is noted a while later.
      .filter((line) => !/"Event":"(audit|company)[.]|"Data":{"LastUsedOn"/.test(line))
    const ours = Object.values({ ...own, hidden }).flatMap((key) => service.eventsOf(key))
    return [...theirs, ...ours.map((event) => JSON.stringify(event))]
  }

  const send = async (
    ask: Ask,
    principal: Principal | Outsider,
    things: Things,
    token = '',
  ): Promise<Answer> => {
    const { path, body, headers } = ask.send({ things, own: world.own, token })
    return sendTo(ask.method, path, { body, headers: { ...headers, ...principal.headers } })
  }
  const sendTo = (method: string, path: string, sent: Sent) => {
    cells++
    return path.startsWith(ELSEWHERE)
      ? elsewhere.send(method, path.slice(ELSEWHERE.length), sent)
      : service.send(method, path, sent)
  }

  const note = (ask: Ask, who: string, what: string, answer: Answer, wanted: unknown) =>
    void wrong.push(
      `${ask.route} by ${who}, ${what}: ${answer.status} ${answer.text.slice(0, 200)}, not ${String(wanted)}`,
    )

  it('leaves out no route, and each is let through by the policy that it is meant to have', () => {
    const policiesOf = (known: readonly { readonly policies: Route['policies'] }[]) => known[0]?.policies
    for (const route of routes) {
      const name = `${route.method} ${route.path}`
      // Which methods a path takes is told to those who may ask it at all.
      if (route.method === 'ALL') {
        const open = policiesOf(asks.filter((ask) => ask.route.endsWith(` ${route.path}`) && isOpen(ask)))
        expect(route.policies, name).to.deep.equal(open ?? [{ action: 'self', object: '*' }])
      }
      // The handler that comes last for a record has the same path, and says that there is none.
      else expect(route.policies, name).to.deep.equal(policiesOf(asks.filter((ask) => ask.route === name)))
    }
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    for (const { route } of asks) expect(known, route).to.include(route)
    expect(known.size).to.be.greaterThan(60)
  })

  it('shows the rows of packs to their own company alone', async () => {
    await showsItsOwnRows(world.own, own!, other!)
    await showsItsOwnRows(world.other, other!, own!)
  })

  it('lets in whom their roles let in, and nobody else', async () => {
    await inLanes(world.principals, async (principal) => {
      const who = `${principal.role.Name} by ${principal.by}`
      for (const ask of asks) {
        const { path } = ask.send({ things: own!, own: world.own, token: '' })
        const may = isLetIn(principal, ask, path)
        const sees = ask.shows.every(([action, object]) => isGranted(principal.role, action, object))
        const wanted = sees ? ask.expects : [403]
        const isKeyed = ask.about !== 'nothing'
        if (isLeftOut(principal, ask.route) && !isOpen(ask)) {
          const answer = await send(ask, principal, own!)
          if (answer.status !== 401) note(ask, who, 'own', answer, 401)
          continue
        }
        const somebody = ask.usesUp ? await principal.again() : principal
        if (may) {
          const things = ask.uses ? { ...own!, ...(await anew(ask.uses)) } : own!
          const answer = await send(ask, somebody, things, somebody.token)
          if (!wanted.includes(answer.status)) note(ask, who, 'own', answer, wanted)
          if (showsAnyOf(other!, answer)) note(ask, who, 'own', answer, 'without what is theirs')
        }
        const unknown = isKeyed || !may ? await send(ask, somebody, nothing, somebody.token) : undefined
        if (unknown && unknown.status !== (may ? 404 : 403))
          note(ask, who, 'unknown', unknown, may ? 404 : 403)
        if (!isKeyed) continue
        for (const [what, things] of foreign(principal, ask, may)) {
          const answer = await send(ask, somebody, things)
          const like = what === BELOW ? below(nothing) : nothing
          const none = what === BELOW ? await send(ask, somebody, like) : unknown!
          const [said, likely] = [shape(answer, things), shape(none, like)]
          if (ask.about === 'service' && may) {
            if (!ask.expects.includes(answer.status)) note(ask, who, what, answer, ask.expects)
          } else if (said !== likely) note(ask, who, what, answer, likely)
        }
      }
    })
    expect(wrong.splice(0).join('\n')).to.equal('')
  })

  /** What belongs to the own company, but for what lies below it. */
  const below = ({ delivery, replay, received }: Things): Things => ({ ...own!, delivery, replay, received })

  /** The things that a principal may ask for and is not to find; for whoever may not ask at all, their own too. */
  const foreign = ({ role }: Principal, ask: Ask, may: boolean): [string, Things][] => [
    ['other', other!],
    ...(may ? [] : ([['own', own!]] as [string, Things][])),
    ...(role.Name === NARROW && recordAsks.includes(ask)
      ? ([['hidden', { ...own!, contract: hidden }]] as [string, Things][])
      : []),
    ...(/:delivery|:message|:replay/.test(ask.route) ? ([[BELOW, below(other!)]] as [string, Things][]) : []),
  ]

  const anew = async (uses: NonNullable<Ask['uses']>): Promise<Partial<Things>> => {
    if (uses === 'login') return loggedIn(world.own)
    return { [madeAs[uses] ?? uses]: await makers[uses](world.own) }
  }

  it('lets in nobody whose time has passed, who was thrown out, or whom nobody knows', async () => {
    await inLanes(world.outsiders, async (outsider) => {
      let like: string | undefined
      for (const ask of asks) {
        // What logs out takes cookies that are worth nothing, and needs none.
        const answer = await send(ask, outsider, own!)
        if (isOpen(ask)) {
          if (!ask.expects.includes(answer.status)) note(ask, outsider.what, 'own', answer, ask.expects)
          continue
        }
        const said = shape(answer, own!)
        like ??= said
        if (answer.status !== 401 || said !== like) note(ask, outsider.what, 'own', answer, like)
      }
    })
    expect(wrong.splice(0).join('\n')).to.equal('')
  })

  it('tells the methods of a path only to those who are let in', async () => {
    const told = routes.filter(({ method }) => method === 'ALL')
    const paths = new Map(told.map((route) => [route.path, isOpen(route)]))
    const everyone = [...world.principals, ...world.outsiders.slice(-3)]
    await inLanes(everyone, async (one) => {
      for (const [path, open] of paths) {
        const filled = path
          .replace(':object', 'contract')
          .replace(/:key/, own!.contract)
          .replace(/:\w+/g, 'x')
        const answer = await sendTo('OPTIONS', filled, { headers: one.headers })
        const wanted = open || ('role' in one && !isLeftOut(one, path)) ? 204 : 401
        if (answer.status !== wanted) wrong.push(`OPTIONS ${filled}: ${answer.status}, not ${wanted}`)
      }
    })
    expect(wrong.splice(0).join('\n')).to.equal('')
  })

  it('serves nothing of what the service keeps for itself as records', async () => {
    await inLanes(world.principals, async ({ headers, role }) => {
      for (const object of HIDDEN) {
        const key = own![object as keyof Things] ?? `${object}-0`
        for (const [action, method, path] of [
          ['read', 'GET', object],
          ['read', 'GET', `${object}/${key}`],
          ['read', 'GET', `${object}/changes`],
          ['audit', 'GET', `${object}/${key}/history`],
          ['read', 'GET', `${object}/${key}/workflow`],
          ['update', 'PATCH', `${object}/${key}`],
          ['delete', 'DELETE', `${object}/${key}`],
          ['create', 'POST', object],
        ] as const) {
          const answer = await service.send(method, path, {
            headers,
            ...(/^P/.test(method) && { body: { Roles: ['system_admin'] } }),
          })
          cells++
          const wanted = isGranted(role, action, object) ? 404 : 403
          if (answer.status !== wanted) wrong.push(`${method} ${path} by ${role.Name}: ${answer.text}`)
        }
      }
    })
    expect(wrong.splice(0).join('\n')).to.equal('')
  })

  it('has changed nothing by what was refused', async () => {
    expect(atFirst.join('\n')).to.include('contract.created')
    expect((await untouched()).filter((line) => !atFirst.includes(line)).join('\n')).to.equal('')
  })

  it('has logged nothing', () => {
    const about = ({ message }: { readonly message: string }) => !message.includes('deliver')
    expect(service.logged.filter(about)).to.deep.equal([])
  })
})

/** Status, headers and body, without what is different each time and without the Keys that were asked for. */
function shape({ status, headers, text }: Answer, things: Things): string {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  const said = Object.entries(things).reduce(
    (all, [name, key]) => all.replaceAll(key as string, `<${name}>`),
    text,
  )
  return JSON.stringify([status, kept, said])
}

/** Companies are known to operators. */
function showsAnyOf({ company, ...theirs }: Things, { text }: Answer): boolean {
  return Object.values(theirs).some((key) => key !== company && text.includes(key))
}

async function inLanes<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const lane = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
