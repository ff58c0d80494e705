/** What is kept for imports that come again: mappings with names, and schedules that pick files up. */
import { ask, Things } from './areas.ts'
import type { Wishes, WriteWishes } from './transport.ts'
import type { AnyFields, AnyRecord } from './values.ts'

/** Those are replaced as a whole. */
class Kept extends Things<AnyRecord> {
  replace(
    key: string,
    fields: AnyFields,
    wishes: WriteWishes & { ifMatch?: string } = {},
  ): Promise<AnyRecord> {
    return ask(this.transport, { method: 'PUT', path: this.of(key), body: fields, ...wishes })
  }
}

/** A mapping that fits: of a profile, or of an import that had the same columns. */
export interface SuggestedMapping {
  readonly Profile: string | null
  readonly Import: string | null
  readonly Name: string | null
  readonly Mapping: AnyFields
}

export class ImportProfiles extends Kept {
  suggest(
    of: { readonly Object: string; readonly Columns: readonly string[] },
    wishes: Wishes = {},
  ): Promise<readonly SuggestedMapping[]> {
    const call = { method: 'POST', path: this.of('suggest'), body: of, kind: 'plain' } as const
    return ask(this.transport, { ...call, ...wishes })
  }
}

/** What a run would look at. */
export interface ScheduleLook {
  readonly Takes: readonly { readonly Name: string; readonly Bytes: number }[]
  readonly PassesOver: readonly { readonly Name: string; readonly Bytes: number }[]
  readonly Message?: string
  /** Of a server whose key is not confirmed. */
  readonly HostKey?: string | null
}

export class ImportSchedules extends Kept {
  /** It is due now. */
  run(key: string, wishes: WriteWishes = {}): Promise<AnyRecord> {
    return this.post(key, ['run'], undefined, wishes)
  }
  /** Which files a run would take; nothing is done. */
  test(key: string, wishes: Wishes = {}): Promise<ScheduleLook> {
    return ask(this.transport, { method: 'POST', path: this.of(key, 'test'), kind: 'plain', ...wishes })
  }
}
