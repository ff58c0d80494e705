/**
 * What of their values is taken over. Each field is judged by what both sides had last: who alone has changed it since wins. Where
 * both have, the file says whose it is; where it does not, a person decides (docs/decisions/echo-and-conflicts.md). Pure.
 */
import type { Fields, Json } from '../../domain/json.ts'
import { digestOf } from './digest.ts'

export type Owner = 'ours' | 'theirs' | 'newest'

export interface Merging {
  readonly theirs: Fields
  readonly ours: Fields
  /** Digests of values that both sides had last, by field. */
  readonly agreed: Readonly<Record<string, string>>
  readonly owners: Readonly<Record<string, Owner>>
  /** Whether theirs is the newer value, where that is known. */
  readonly isNewer: (field: string) => boolean
}

export interface Disputed {
  readonly Field: string
  readonly Ours: Json
  readonly Theirs: Json
}

export interface Merged {
  /** What is to be set here. */
  readonly take: Fields
  /** What both sides agree on then. */
  readonly agreed: Readonly<Record<string, string>>
  readonly disputed: readonly Disputed[]
}

export function merge({ theirs, ours, agreed, owners, isNewer }: Merging): Merged {
  const take: Record<string, Json> = {}
  const settled: Record<string, string> = {}
  const disputed: Disputed[] = []
  for (const [name, value] of Object.entries(theirs)) {
    const [their, our] = [digestOf(value), digestOf(ours[name])]
    const owner = owners[name]
    if (their === our) settled[name] = their
    else if (owner === 'ours') continue
    else if (owner === 'theirs') [take[name], settled[name]] = [value, their]
    // They have what both had: the change is ours, and is on its way to them.
    else if (their === agreed[name]) continue
    else if (our === agreed[name] || isNothing(ours[name])) [take[name], settled[name]] = [value, their]
    else if (owner === 'newest') {
      if (isNewer(name)) [take[name], settled[name]] = [value, their]
    } else disputed.push({ Field: name, Ours: ours[name] ?? null, Theirs: value })
  }
  return { take, agreed: settled, disputed }
}

const isNothing = (value: Json | undefined) => value === undefined || value === null
