/** Commands for a shell, made of what the service holds at this moment. */
import type { ApiClient } from './api-client.ts'
import { monthsAfter } from './company.ts'

export interface Command {
  readonly title: string
  readonly lines: readonly string[]
}

export interface Shown {
  readonly api: ApiClient
  readonly url: string
  /** How the token appears in a command: itself, or the variable that holds it. */
  readonly token: string
  readonly now: Date
}

interface Contract {
  readonly Id: string
  readonly Tenant: { readonly Id: string; readonly Name: string }
}

const HIGH_RENTS = "Status eq 'Active' and MonthlyRent gt 1500 and MonthlyRent/Currency eq 'EUR'"

export async function commandsToTry({ api, url, token, now }: Shown): Promise<Command[]> {
  const contract = await someContract(api)
  const corrected = await correctedContract(api)
  const { etag } = await api.call('GET', `contract/${contract.Id}`)
  // A day that every month has.
  const halfAYearAgo = monthsAfter(now.toISOString(), -6, Math.min(now.getUTCDate(), 28))
  const authorized = `-H "Authorization: Bearer ${token}"`
  const json = "-H 'Content-Type: application/json'"
  const at = (path: string) => quoted(`${url}/api/v1/${path}`)
  return [
    {
      title: 'The highest rents of running contracts in euros, with the tenant in full',
      lines: [
        `curl -sG ${at('contract')} ${authorized}`,
        `  --data-urlencode ${quoted(`filter=${HIGH_RENTS}`)}`,
        `  -d sort=-MonthlyRent -d expand=Tenant -d pageSize=3`,
      ],
    },
    {
      title: 'Contracts in which a word begins like this; accents and capitals do not matter',
      lines: [
        `curl -sG ${at('contract')} ${authorized}`,
        `  --data-urlencode ${quoted(`search=${beginningOf(contract.Tenant.Name)}`)}`,
        `  -d fields=ContractNumber,Tenant,Status`,
      ],
    },
    {
      title: 'What happened to a contract whose rent was once mistyped: who, when and why',
      lines: [`curl -s ${at(`contract/${corrected}/history`)} ${authorized}`],
    },
    {
      title: 'The contracts that ran half a year ago, as they were then',
      lines: [
        `curl -sG ${at('contract')} ${authorized}`,
        `  --data-urlencode ${quoted("filter=Status eq 'Active'")} -d asOf=${halfAYearAgo} -d pageSize=3`,
      ],
    },
    {
      title: 'What an auditor asks: rents that were changed without a reason',
      lines: [
        `curl -sG ${at('audit')} ${authorized}`,
        `  -d object=contract -d event=contract.updated -d field=MonthlyRent -d reason=none`,
      ],
    },
    {
      title: 'What an analyst asks: how long contracts stay in a state, in days',
      lines: [
        `curl -s ${at('warehouse/query')} ${authorized}`,
        `  ${json} -d ${quoted(JSON.stringify({ Sql: DAYS_IN_STATES }))}`,
      ],
    },
    {
      title: 'What the bank has sent and nobody has decided on',
      lines: [
        `curl -sG ${at('banktransaction')} ${authorized}`,
        `  --data-urlencode ${quoted("filter=Status in ('Unmatched', 'Proposed')")}`,
      ],
    },
    {
      title:
        'A change of the version that you have seen; a second time it is refused, for it is no longer that version',
      lines: [
        `curl -sX PATCH ${at(`contract/${contract.Id}`)} ${authorized}`,
        `  ${json} -H ${quoted(`If-Match: ${etag}`)} -H 'Daybook-Reason: asked for by the tenant'`,
        `  -d ${quoted(JSON.stringify({ Notes: 'Rent is paid on the 5th: "salary comes late".' }))}`,
      ],
    },
    {
      title: 'The description of the whole API; better read in a browser',
      lines: [`curl -s ${quoted(`${url}/docs`)}`],
    },
  ]
}

const DAYS_IN_STATES =
  'SELECT "Status", count(DISTINCT "Key") AS "Contracts", ' +
  'sum(julianday(coalesce("ValidTo", CURRENT_TIMESTAMP)) - julianday("ValidFrom")) / count(DISTINCT "Key") AS "Days" ' +
  'FROM "wh_Leasing_Contract_history" WHERE NOT "IsDeleted" GROUP BY "Status"'

export function shownAsText(commands: readonly Command[]): string {
  return commands
    .map(({ title, lines }, i) => `${i + 1}. ${title}:\n\n   ${lines.join(' \\\n   ')}\n`)
    .join('\n')
}

/** A word of the shell that means exactly this text; in double quotes where that reads better. */
export function quoted(text: string): string {
  if (text.includes("'") && !/["$`\\!]/.test(text)) return `"${text}"`
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The newest running contract. */
async function someContract(api: ApiClient): Promise<Contract> {
  const filter = encodeURIComponent("Status eq 'Active' and Tenant ne null and Unit ne null")
  const { data } = await api.call<Contract[]>('GET', `contract?pageSize=1&filter=${filter}`)
  if (!data[0]) throw new Error('there is no running contract to show commands for')
  return data[0]
}

async function correctedContract(api: ApiClient): Promise<string> {
  const query = 'object=contract&event=contract.updated&reason=Typing%20error&pageSize=1'
  const { data } = await api.call<{ Key: string }[]>('GET', `audit?${query}`)
  if (!data[0]) throw new Error('there is no corrected contract to show')
  return data[0].Key
}

/** The first letters of the longest word, without accents: enough to find it. */
function beginningOf(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [plain]
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest)).slice(0, 6)
}
