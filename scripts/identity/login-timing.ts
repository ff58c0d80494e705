/**
 * `node scripts/identity/login-timing.ts [--rounds 500] [--shuffles 2000] [--seed n]`: whether the time of a failed login
 * tells why it failed. One login of each cause in each round, in an order of chance, over HTTP, one at a time; the clock of
 * the service is moved on between rounds, or its limits would answer. Exit code 1 when causes can be told apart.
 *
 * How small a difference the run would have found is shown by adding one to the times of one cause.
 */
import { request as httpRequest, Agent } from 'node:http'
import { seededRandom } from '../../test/support/random.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { compareTimes } from './same-times.ts'
import { EMAIL, PASSWORD, testService, type TestService } from '../../test/support/service.ts'

const { rounds, shuffles, seed } = numbersFromArguments({
  rounds: 500,
  shuffles: 2_000,
  seed: Date.now() % 1_000_000,
})
const random = seededRandom(seed).next
const WARM_UP = 20

interface Login {
  readonly Email: string
  readonly Password: string
  readonly CompanyKey: string
}

let ahead = 0
const clock = { now: () => Date.now() + ahead, elapsed: () => performance.now() + ahead }
const service = await testService({ clock })
try {
  await measure()
} finally {
  await service.discard()
}

async function measure(): Promise<void> {
  const causes = await causesIn(service)
  const names = Object.keys(causes)
  const logins = Object.values(causes)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[][] = []
  for (let round = 0; round < WARM_UP + rounds; round++) {
    ahead += 61_000
    const order = names.map((_, index) => ({ index, at: random() })).sort((a, b) => a.at - b.at)
    const taken: number[] = []
    for (const { index } of order) taken[index] = await failedLogin(agent, logins[index]!)
    if (round >= WARM_UP) times.push(taken)
  }
  agent.destroy()

  console.log(`${rounds} failed logins of each of ${names.length} causes, seed ${seed}; ms:\n`)
  const width = Math.max(...names.map(({ length }) => length))
  for (const [index, name] of names.entries()) {
    const sorted = times.map((round) => round[index]!).sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(share * sorted.length)]!.toFixed(2).padStart(7)
    console.log(`  ${name.padEnd(width)}  p10 ${at(0.1)}  p50 ${at(0.5)}  p90 ${at(0.9)}`)
  }
  const { measures, alike } = compareTimes(times, { shuffles, random })
  console.log('\nfarthest from the mean of all causes, and how far chance goes:\n')
  for (const { name, cause, distance, bound, p } of measures)
    console.log(
      `  ${name.padEnd(14)}  ${distance.toFixed(3)} (${names[cause]}); by chance up to ${bound.toFixed(3)}, p = ${p.toFixed(4)}`,
    )
  const smallest = [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 4].find((more) => {
    const moved = times.map(([first = 0, ...others]) => [first + more, ...others])
    return !compareTimes(moved, { shuffles: Math.min(shuffles, 1_000), random }).alike
  })
  console.log(`\na difference of ${smallest ?? 'more than 4'} ms of one cause would have been found`)
  console.log(alike ? 'the causes cannot be told apart' : 'THE CAUSES CAN BE TOLD APART')
  if (!alike) process.exitCode = 1
}

/** Milliseconds, by the one connection. @throws Error when it was not refused as failed logins are */
function failedLogin(agent: Agent, login: Login): Promise<number> {
  const body = JSON.stringify(login)
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const began = performance.now()
    httpRequest(`${service.url}/api/v1/identity/login`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode === 401) resolve(performance.now() - began)
        else reject(new Error(`answered with ${answer.statusCode}`))
      })
    })
      .on('error', reject)
      .end(body)
  })
}

async function causesIn(service: TestService): Promise<Readonly<Record<string, Login>>> {
  const made = async (path: string, body: object) => {
    const answer = await service.post(path, body)
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
    return answer.data.Id
  }
  const Roles = ['viewer']
  const user = (Email: string) =>
    made('identity/users', { Email, Name: 'Someone', Password: PASSWORD, Roles })
  const inactive = await user('inactive@example.com')
  const removed = await user('removed@example.com')
  await service.patch(`identity/users/${inactive}`, { IsActive: false })
  await service.delete(`identity/users/${removed}`)
  const firm = { AdminEmail: 'boss@example.com', AdminPassword: PASSWORD }
  const suspended = await made('identity/companies', { ...firm, Name: 'Suspended', IsSuspended: true })
  const other = await made('identity/companies', { ...firm, Name: 'Other' })
  const { data } = await service.get('identity/me')
  const CompanyKey = (data['Company'] as { Id: string }).Id
  const right = { Email: EMAIL, Password: PASSWORD, CompanyKey }
  return {
    'wrong password': { ...right, Password: 'not the password' },
    'empty password': { ...right, Password: '' },
    'password of 256 characters': { ...right, Password: 'x'.repeat(256) },
    'unknown address': { ...right, Email: 'nobody@example.com' },
    'no address': { ...right, Email: 'nobody' },
    'inactive user': { ...right, Email: 'inactive@example.com' },
    'removed user': { ...right, Email: 'removed@example.com' },
    'suspended company': { ...right, Email: 'boss@example.com', CompanyKey: suspended },
    "another company's user": { ...right, CompanyKey: other },
    'unknown company': { ...right, CompanyKey: `company-${'1'.repeat(26)}` },
    'no company': { ...right, CompanyKey: 'nonsense' },
  }
}
