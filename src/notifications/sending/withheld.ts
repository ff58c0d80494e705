/** Whether an address is written to. */
import type { Company } from '../../domain/events/event.ts'
import type { Suppressions } from './suppressions.ts'

export interface Withholding {
  readonly suppressions: Pick<Suppressions, 'find'>
  /** Only these addresses are written to, where there are any. */
  readonly allow: readonly string[]
}

/** Why nothing of the category is sent to the address; undefined: it is. */
export async function withheldFor(
  { suppressions, allow }: Withholding,
  company: Company,
  address: string,
  category: string | undefined,
): Promise<string | undefined> {
  if (allow.length > 0 && !allow.includes(address)) return 'the address is not among those of MAIL_ALLOW'
  const suppressed = await suppressions.find(company, address, category)
  return suppressed && `the address is not written to: ${suppressed}`
}
