/** The pages by their paths; each is loaded when it is opened. Search parameters are plain text: the address is the state. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { CONSOLE } from './base.ts'
import { NotThere, PageTrouble } from './not-there.tsx'
import type { Search } from './search.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotThere })
const anySearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
const at = (path: string, load: Parameters<typeof lazyRouteComponent>[0], name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: anySearch,
    component: lazyRouteComponent(load, name as 'default'),
  })

export const router = createRouter({
  basepath: CONSOLE,
  routeTree: root.addChildren([
    at('/', () => import('../home/home.tsx'), 'Home'),
    at('/records/$object', () => import('../records/grid/records-page.tsx'), 'RecordsPage'),
    at('/records/$object/new', () => import('../records/record/new-record-page.tsx'), 'NewRecordPage'),
    at('/records/$object/$key', () => import('../records/record/record-page.tsx'), 'RecordPage'),
    at('/waiting', () => import('../waiting/waiting-page.tsx'), 'WaitingPage'),
    at('/bank', () => import('../bank/bank-page.tsx'), 'BankPage'),
    at('/bank/$key', () => import('../bank/account-page.tsx'), 'AccountPage'),
    at('/imports', () => import('../imports/imports-page.tsx'), 'ImportsPage'),
    at('/imports/kept', () => import('../imports/kept-page.tsx'), 'KeptImportsPage'),
    at('/imports/$key', () => import('../imports/import-page.tsx'), 'ImportPage'),
    at('/templates', () => import('../templates/templates-page.tsx'), 'TemplatesPage'),
    at('/templates/new', () => import('../templates/template-page.tsx'), 'NewTemplatePage'),
    at('/templates/$key', () => import('../templates/template-page.tsx'), 'TemplatePage'),
    at('/webhooks', () => import('../webhooks/webhooks-page.tsx'), 'WebhooksPage'),
    at('/webhooks/$key', () => import('../webhooks/webhook-page.tsx'), 'WebhookPage'),
    at('/integrations', () => import('../integrations/integrations-page.tsx'), 'IntegrationsPage'),
    at('/integrations/$key', () => import('../integrations/integration-page.tsx'), 'IntegrationPage'),
    at('/warehouse', () => import('../warehouse/warehouse-page.tsx'), 'WarehousePage'),
    at('/settings/users', () => import('../people/users-page.tsx'), 'UsersPage'),
    at('/settings/users/$key', () => import('../people/user-page.tsx'), 'UserPage'),
    at('/settings/sessions', () => import('../people/sessions-page.tsx'), 'SessionsPage'),
    at('/settings/roles', () => import('../people/roles-page.tsx'), 'RolesPage'),
    at('/companies', () => import('../people/companies-page.tsx'), 'CompaniesPage'),
    at('/projections', () => import('../operation/projections-page.tsx'), 'ProjectionsPage'),
    at('/audit', () => import('../operation/audit-page.tsx'), 'AuditPage'),
    at('/settings/tokens', () => import('../settings/tokens-page.tsx'), 'TokensPage'),
  ]),
  defaultErrorComponent: PageTrouble,
  defaultPreload: 'intent',
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text && `?${text}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
