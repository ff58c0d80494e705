/** A link to what a Key names: a record, or something with a page of its own. Text where there is no page. */
import type { ReactNode } from 'react'
import { useSeen } from '../api/objects.ts'
import { Go } from './go.tsx'
import type { Search } from './search.ts'

const PAGES: Readonly<Record<string, string>> = {
  import: '/imports',
  integration: '/integrations',
  template: '/templates',
  user: '/settings/users',
  webhook: '/webhooks',
}

export interface ThingLinkProps {
  readonly of: string
  /** Of a record's page. */
  readonly search?: Search
  readonly className?: string
  readonly children: ReactNode
}

export function ThingLink({ of, search, className = '', children }: ThingLinkProps) {
  const objects = useSeen()?.Objects ?? []
  const object = of.split('-')[0] ?? ''
  const isRecord = objects.some((one) => one.Object === object)
  const page = isRecord ? `/records/${object}` : PAGES[object]
  if (page === undefined) return <span className={className}>{children}</span>
  return (
    <Go to={`${page}/${of}`} {...(isRecord && search && { search })} className={`value-link ${className}`}>
      {children}
    </Go>
  )
}
