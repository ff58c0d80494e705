/** The people of the demo's company, what each may do, and how they are let in: by session, as in a browser. */
import { clientAs, type ApiClient } from './api-client.ts'

export const PEOPLE = {
  maria: { name: 'Maria Keller', email: 'maria.keller@example.com', roles: [], job: 'administrator' },
  ingrid: {
    name: 'Ingrid Solberg',
    email: 'ingrid.solberg@example.com',
    roles: ['lease_manager'],
    job: 'manages leases; left in the ninth month',
  },
  tomas: {
    name: 'Tomáš Novák',
    email: 'tomas.novak@example.com',
    roles: ['lease_manager'],
    job: 'manages leases',
  },
  amelie: {
    name: 'Amélie Laurent',
    email: 'amelie.laurent@example.com',
    roles: ['approver', 'notification_manager'],
    job: 'approves and terminates',
  },
  piotr: {
    name: 'Piotr Zieliński',
    email: 'piotr.zielinski@example.com',
    roles: ['accountant'],
    job: 'invoices, payments, the bank',
  },
  sven: {
    name: 'Sven Lindqvist',
    email: 'sven.lindqvist@example.com',
    roles: ['caretaker'],
    job: 'requests and work orders',
  },
  nadia: { name: 'Nadia Rahman', email: 'nadia.rahman@example.com', roles: ['auditor'], job: 'audits' },
} as const

export type Who = keyof typeof PEOPLE

const RECORDS = ['read', 'create', 'update', 'delete']

/** Roles of the company, beside those that are shipped. */
export const ROLES = [
  {
    Name: 'lease_manager',
    Description: 'Keeps buildings, tenants and leases, and submits leases for approval.',
    Grants: [
      {
        Application: 'Leasing',
        Actions: [
          ...RECORDS,
          'import',
          'audit',
          ...['submit', 'recall', 'cancel', 'revise', 'renew'].map(workflow),
        ],
      },
      { Application: 'Marketing', Actions: [...RECORDS, 'workflow:*'] },
    ],
  },
  {
    Name: 'accountant',
    Description: 'Invoices, payments and bank statements.',
    Grants: [
      { Application: 'Finance', Actions: [...RECORDS, 'import', 'export', 'audit', 'workflow:*'] },
      { Application: 'Leasing', Actions: ['read'] },
    ],
  },
  {
    Name: 'caretaker',
    Description: 'What is reported and what is mended.',
    Grants: [
      { Application: 'FacilityManagement', Actions: [...RECORDS, 'workflow:*'] },
      { Application: 'Leasing', Actions: ['read'] },
    ],
  },
]

function workflow(action: string): string {
  return `workflow:${action}`
}

export interface Login {
  readonly url: string
  readonly email: string
  readonly password: string
}

/** A client that logs in when it is first used, keeps its session as long as it is used, and then logs in again. */
export function signedIn({ url, email, password }: Login): ApiClient {
  let cookie: string | undefined
  const takeCookie = (headers: Headers) => {
    const [set] = headers.getSetCookie()
    if (set) cookie = set.split(';')[0]
  }
  const logIn = async () => {
    const response = await fetch(`${url}/api/v1/identity/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ Email: email, Password: password }),
    })
    if (!response.ok) throw new Error(`${email} cannot log in: ${await response.text()}`)
    takeCookie(response.headers)
  }
  return clientAs(url, {
    async headers() {
      if (cookie === undefined) await logIn()
      return { Cookie: cookie!, Origin: new URL(url).origin }
    },
    answered: takeCookie,
    renew() {
      const had = cookie !== undefined
      cookie = undefined
      return had
    },
  })
}
