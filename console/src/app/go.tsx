/** A link to another page of the console: its path and search parameters as text. */
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'
import type { Search } from './search.ts'

export interface GoProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** Below the console: `/records/contract`. */
  readonly to: string
  readonly search?: Search
  /** Whether only this very path makes it the current one. */
  readonly exact?: boolean
  readonly ref?: Ref<HTMLAnchorElement>
}

export function Go({ to, search, exact = false, ...rest }: GoProps) {
  return (
    <Link
      to={to as '/'}
      search={(search ?? {}) as never}
      activeOptions={{ exact, includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
      {...(rest as object)}
    />
  )
}

export interface Going {
  readonly search?: Search
  /** Whether it takes the place of this page in the browser's history. */
  readonly replace?: boolean
}

/** Goes to another page. */
export function useGo(): (to: string, going?: Going) => void {
  const navigate = useNavigate()
  return (to, { search, replace = false } = {}) =>
    void navigate({ to: to as '/', search: (search ?? {}) as never, replace })
}

/** What the address has in place of the names of its path. */
export function usePathNames(): Readonly<Record<string, string | undefined>> {
  return useParams({ strict: false })
}
