/**
 * The console in a browser: a service with data, pages signed in, and what every page has to keep to: no findings of axe
 * in either colour scheme, no violation of the policy, nothing asked of another origin, no error in the browser's log.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { chromium as playwright, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { chromium } from '../../engines/chromium/binary.ts'
import { sharedSuiteOf } from '../../engines/suite-of.ts'
import { EMAIL, PASSWORD, testService, type TestService } from '../../support/service.ts'
import { isBuilt } from './built.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Scripts of the page are text here: Node's types know no document. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  reportViolation('policy: ' + [event.violatedDirective, event.blockedURI, event.sourceFile].join(' ')))`
/** By how many pixels the page is wider than its window. */
export const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** Screenshots are written only when they are asked for; those of the docs are kept in the repository. */
const PICTURES = process.env['CONSOLE_PICTURES']

/** The suite, or the reason why it is skipped. */
export const consoleSuite = sharedSuiteOf(
  'the console in a browser',
  chromium === undefined
    ? 'npm run engines:install installs Chromium'
    : isBuilt
      ? undefined
      : 'npm ci builds the console',
)

export const SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
} as const
export type Size = keyof typeof SIZES

export interface Person {
  readonly email: string
  readonly password: string
}
export const ADMIN: Person = { email: EMAIL, password: PASSWORD }

/** Playwright's page, and what went wrong on it. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Opens a path below the console. */
  open(path: string): Promise<void>
  /** What the page broke: the policy, another origin, an error. */
  faults(): readonly string[]
  close(): Promise<void>
}

export interface Console {
  readonly service: TestService
  /** A page that is not signed in. */
  visit(size?: Size): Promise<Visit>
  /** A page that this person is signed in on. */
  visitAs(person: Person, size?: Size): Promise<Visit>
  discard(): Promise<void>
}

/** `settings`: beside those that make it a test's. */
export async function openConsole(settings: Readonly<Record<string, string>> = {}): Promise<Console> {
  const service = await testService({ settings })
  const browser = await playwright.launch({
    executablePath: chromium!,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
  const visit = (size: Size = 'wide') => newVisit(browser, service.url, size)
  return {
    service,
    visit,
    async visitAs({ email, password }, size) {
      const opened = await visit(size)
      const company = await companyOf(service)
      const body = { Email: email, Password: password, CompanyKey: company }
      const headers = { Origin: service.url }
      const answer = await opened.context.request.post(`${service.url}/api/v1/identity/login`, {
        data: body,
        headers,
      })
      expect(answer.status(), await answer.text()).to.equal(200)
      return opened
    },
    async discard() {
      await browser.close()
      await service.discard()
    },
  }
}

export async function companyOf(service: TestService): Promise<string> {
  const { data } = await service.get('identity/me')
  return (data['Company'] as { readonly Id: string }).Id
}

/** A user with these roles, who can sign in. */
export async function makePerson(
  service: TestService,
  name: string,
  roles: readonly string[],
): Promise<Person> {
  const person = { email: `${name.toLowerCase()}@example.com`, password: 'a password for tests' }
  const body = { Email: person.email, Name: name, Password: person.password, Roles: roles }
  const { status, text } = await service.post('identity/users', body)
  expect(status, text).to.equal(201)
  return person
}

async function newVisit(browser: Browser, url: string, size: Size): Promise<Visit> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    colorScheme: 'light',
  })
  context.setDefaultTimeout(10_000)
  const faults: string[] = []
  await context.exposeBinding('reportViolation', (_source, text: string) => void faults.push(text))
  await context.addInitScript(REPORT_VIOLATIONS)
  const page = await context.newPage()
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      faults.push(`asked ${request.url()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // What the service refuses is written there by the browser itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`log: ${message.text()}`)
  })
  return {
    page,
    context,
    open: async (path) => void (await page.goto(`${url}/console${path}`)),
    faults: () => faults,
    close: () => context.close(),
  }
}

interface AxeResult {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Has axe look at the page in both colour schemes, and takes its picture in the light one. */
export async function inspect({ page, faults }: Visit, name: string): Promise<void> {
  await page.evaluate(AXE)
  // What shows on pointing covers what is under it, and is in no landmark.
  await page.mouse.move(0, 0)
  const found: string[] = []
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.waitForSelector(`html[data-mantine-color-scheme=${scheme}]`)
    if (scheme === 'dark') await picture(page, `${name}-dark`)
    const results = await page.evaluate<readonly AxeResult[]>(
      'axe.run().then(({ violations }) => violations)',
    )
    for (const { id, nodes } of results)
      found.push(`${scheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  }
  await picture(page, name)
  expect(found.join('\n'), name).to.equal('')
  expect(faults().join('\n'), name).to.equal('')
  const overflow = await page.evaluate<number>(OVERFLOW)
  expect(overflow, `${name} is wider than its window`).to.be.at.most(0)
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`) })
}
