/** Five commands for a shell, made of what the service holds at this moment. */
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
  readonly Building: { readonly Id: string }
  readonly Unit: { readonly Id: string }
  readonly MonthlyRent: { readonly Amount: number; readonly Currency: string }
}

const HIGH_RENTS = "Status eq 'Active' and MonthlyRent gt 1500 and MonthlyRent/Currency eq 'EUR'"

export async function commandsToTry({ api, url, token, now }: Shown): Promise<Command[]> {
  const contract = await someContract(api)
  const { etag } = await api.call('GET', `contract/${contract.Id}`)
  const { Tenant, Building, Unit, MonthlyRent } = contract
  const nextMonth = monthsAfter(now.toISOString(), 1)
  const lease = {
    Tenant: Tenant.Id,
    Building: Building.Id,
    Unit: Unit.Id,
    MonthlyRent,
    StartDate: nextMonth,
    Duration: 12,
    LeaseType: 'Renewal',
  }
  const batch = { Records: [lease, { ...lease, StartDate: '2019-01-01' }] }
  const authorized = `-H "Authorization: Bearer ${token}"`
  const json = "-H 'Content-Type: application/json'"
  const contracts = quoted(`${url}/api/v1/contract`)
  return [
    {
      title: 'The highest rents of running contracts in euros, with the tenant in full',
      lines: [
        `curl -sG ${contracts} ${authorized}`,
        `  --data-urlencode ${quoted(`filter=${HIGH_RENTS}`)}`,
        `  -d sort=-MonthlyRent -d expand=Tenant -d pageSize=3`,
      ],
    },
    {
      title: 'Contracts in which a word begins like this; accents and capitals do not matter',
      lines: [
        `curl -sG ${contracts} ${authorized}`,
        `  --data-urlencode ${quoted(`search=${beginningOf(Tenant.Name)}`)}`,
        `  -d fields=ContractNumber,Tenant,Status`,
      ],
    },
    {
      title:
        'A change of the version that you have seen; a second time it is refused, for it is no longer that version',
      lines: [
        `curl -sX PATCH ${quoted(`${url}/api/v1/contract/${contract.Id}`)} ${authorized}`,
        `  ${json} -H ${quoted(`If-Match: ${etag}`)} -H 'Daybook-Reason: asked for by the tenant'`,
        `  -d ${quoted(JSON.stringify({ Notes: 'Rent is paid on the 5th: "salary comes late".' }))}`,
      ],
    },
    {
      title: 'Two contracts at once; one begins in the past and is refused, the other is created',
      lines: [
        `curl -sX POST ${quoted(`${url}/api/v1/contract/batch`)} ${authorized}`,
        `  ${json} -d ${quoted(JSON.stringify(batch))}`,
      ],
    },
    {
      title: 'The description of the whole API; better read in a browser',
      lines: [`curl -s ${quoted(`${url}/docs`)}`],
    },
  ]
}

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

/** The first letters of the longest word, without accents: enough to find it. */
function beginningOf(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [plain]
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest)).slice(0, 6)
}
