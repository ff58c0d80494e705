/** Where one can go, as far as one may: for the navigation, the palette and the first page. */
import {
  IconActivity,
  IconBuildingBank,
  IconBuilding,
  IconChartBar,
  IconFileImport,
  IconHistory,
  IconInbox,
  IconKey,
  IconMail,
  IconPlugConnected,
  IconShieldCheck,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { ACCOUNT, LINE } from '../api/bank.ts'
import type { ObjectSeen, Seen } from '../api/objects.ts'
import type { WordKey } from '../words/words.tsx'

export interface Place {
  readonly to: string
  readonly label: WordKey
  readonly icon: ComponentType<{ readonly size?: number }>
}

export interface Section {
  readonly label: WordKey
  readonly places: readonly Place[]
}

type Judged = Place & { readonly may: (seen: Seen) => boolean }

const does = (action: string) => (seen: Seen) => seen.Actions.includes(action)

/** On any object. */
const doesOnAny = (action: string) => (seen: Seen) =>
  seen.Objects.some(({ Actions }) => Actions.includes(action))

/** Who can take an action of a workflow, and reads its records. */
const mayDecide = ({ Objects }: Seen) =>
  Objects.some(
    ({ Actions }) => Actions.includes('read') && Actions.some((action) => action.startsWith('workflow:')),
  )

/** Who reads bank accounts and their lines. */
const readsLines = ({ Objects }: Seen) =>
  [ACCOUNT, LINE].every((name) =>
    Objects.some(({ Object, Actions }) => Object === name && Actions.includes('read')),
  )

const WORK: readonly Judged[] = [
  { to: '/waiting', label: 'waiting.title', icon: IconInbox, may: mayDecide },
  { to: '/bank', label: 'bank.title', icon: IconBuildingBank, may: readsLines },
  { to: '/imports', label: 'imports.title', icon: IconFileImport, may: doesOnAny('import') },
  { to: '/templates', label: 'templates.title', icon: IconMail, may: does('notify template') },
  { to: '/warehouse', label: 'warehouse.title', icon: IconChartBar, may: doesOnAny('export') },
]
const SETTINGS: readonly Judged[] = [
  { to: '/webhooks', label: 'webhooks.title', icon: IconWebhook, may: does('administer webhook') },
  {
    to: '/integrations',
    label: 'integrations.title',
    icon: IconPlugConnected,
    may: does('administer integration'),
  },
  { to: '/settings/users', label: 'users.title', icon: IconUsers, may: does('administer') },
  { to: '/settings/roles', label: 'roles.title', icon: IconShieldCheck, may: does('administer') },
  { to: '/settings/tokens', label: 'tokens.title', icon: IconKey, may: does('administer') },
]
const OPERATION: readonly Judged[] = [
  { to: '/audit', label: 'audit.title', icon: IconHistory, may: does('audit') },
  { to: '/projections', label: 'projections.title', icon: IconActivity, may: does('operate') },
  { to: '/companies', label: 'companies.title', icon: IconBuilding, may: does('operate') },
]

export function sectionsOf(seen: Seen): readonly Section[] {
  const open = (label: WordKey, places: readonly Judged[]) => ({
    label,
    places: places.filter(({ may }) => may(seen)),
  })
  return [open('nav.work', WORK), open('nav.settings', SETTINGS), open('nav.operation', OPERATION)].filter(
    ({ places }) => places.length > 0,
  )
}

/** The objects by their applications. */
export function applicationsOf({ Objects }: Seen): readonly (readonly [string, readonly ObjectSeen[]])[] {
  const byApplication = new Map<string, ObjectSeen[]>()
  for (const object of Objects) {
    const of = byApplication.get(object.Application) ?? []
    byApplication.set(object.Application, [...of, object])
  }
  return [...byApplication]
}
