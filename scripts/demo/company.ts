/**
 * A leasing company made up of numbers: building 7, unit 312, tenant 45, contract 8,120, the same in every run.
 *
 * Every unit has been let again and again, one lease after the other, the last of them now or soon. Each record follows
 * from its own number alone, so that a company can have any size, and be made from any place on.
 */
import { CITIES, type City } from './cities.ts'
import { FIRMS, FIRST_NAMES, LAST_NAMES, REMARKS, STREETS } from './names.ts'
import { randomOf } from './random.ts'

export interface Company {
  /** 1 for the first demo company of a store; codes of later ones end in it. */
  readonly number: number
  readonly buildings: number
  readonly units: number
  readonly tenants: number
  readonly contracts: number
  /** The first day of the month that is the present, `YYYY-MM-01`. */
  readonly today: string
}

/** Keys of what exists already, by number. */
export interface Keys {
  readonly building: readonly string[]
  readonly unit: readonly string[]
  readonly tenant: readonly string[]
}

export interface Money {
  readonly Amount: number
  readonly Currency: string
}

export type Body = Readonly<Record<string, unknown>>

/** 50 buildings, 1,000 units, 500 tenants and 10,000 contracts, times `scale`. */
export function companyOfSize(scale: number, { number, today }: Pick<Company, 'number' | 'today'>): Company {
  const times = (count: number) => Math.max(1, Math.round(count * scale))
  return {
    number,
    today,
    buildings: times(50),
    units: times(1_000),
    tenants: times(500),
    contracts: times(10_000),
  }
}

/** A code of this company, told from the same code of another one in the same store. */
export function coded({ number }: Company, code: string): string {
  return number === 1 ? code : `${code}-${number}`
}

/** The day `months` after the first of a month, as `YYYY-MM-DD`. */
export function monthsAfter(today: string, months: number, day = 1): string {
  const [year = 0, month = 1] = today.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + months, day)).toISOString().slice(0, 10)
}

function cityOf(building: number): City {
  return CITIES[building % CITIES.length]!
}

export function buildingBody(company: Company, i: number): Body {
  const random = randomOf(`building ${i}`)
  const city = cityOf(i)
  const turn = Math.floor(i / CITIES.length)
  const name = city.buildings[turn % city.buildings.length]!
  const again = Math.floor(turn / city.buildings.length)
  const floors = random.between(2, 9)
  return {
    Name: again === 0 ? name : `${name} ${again + 1}`,
    Code: coded(company, `${city.code}-${String(turn + 1).padStart(3, '0')}`),
    BuildingType: random.pick(['Residential', 'Residential', 'MixedUse', 'Office']),
    Street: `${random.pick(STREETS)} ${random.between(1, 240)}`,
    PostalCode: String(random.between(1_000, 9_999)),
    City: city.name,
    Country: city.country,
    Latitude: Math.round((city.at[0] + (random.next() - 0.5) / 10) * 1e5) / 1e5,
    Longitude: Math.round((city.at[1] + (random.next() - 0.5) / 10) * 1e5) / 1e5,
    YearBuilt: random.between(1650, 2022),
    Floors: floors,
    GrossFloorArea: floors * random.between(300, 900),
    EnergyLabel: random.pick(['A', 'B', 'C', 'D', 'E']),
    InsuredValue: inSteps(random.between(2, 20) * 1_000_000 * city.level, city),
  }
}

/** The number of the building that the unit is in. */
export function buildingOfUnit({ buildings, units }: Company, unit: number): number {
  return Math.floor((unit * buildings) / units)
}

interface Let {
  readonly type: string
  readonly area: number
  /** What the market asks a month, in euros, before the level of the city. */
  readonly euros: number
}

/** What is let, its area in m² from and to, and what a m² costs a month, in euros. */
const MARKET = [
  ['Apartment', 35, 140, 19],
  ['Apartment', 28, 75, 24],
  ['Office', 60, 600, 15],
  ['Shop', 40, 250, 22],
  ['Parking', 12, 18, 9],
] as const

function letOf(unit: number): Let {
  const random = randomOf(`unit ${unit}`)
  const [type, low, high, price] = random.pick(MARKET)
  const area = random.between(low, high)
  return { type, area, euros: area * price * (0.85 + random.next() * 0.3) }
}

export function unitBody(company: Company, i: number, keys: Pick<Keys, 'building'>): Body {
  const building = buildingOfUnit(company, i)
  const first = Math.ceil((building * company.units) / company.buildings)
  const place = i - first
  const { type, area, euros } = letOf(i)
  const city = cityOf(building)
  return {
    Number: type === 'Parking' ? `P${place + 1}` : `${Math.floor(place / 4)}${'ABCD'[place % 4]}`,
    Building: keys.building[building],
    UnitType: type,
    Floor: type === 'Parking' ? -1 : Math.floor(place / 4),
    Area: area,
    ...(type === 'Apartment' && { Rooms: Math.max(1, Math.round(area / 27)) }),
    MarketRent: inSteps(euros * city.level, city),
    Status: 'Occupied',
  }
}

export function tenantBody(company: Company, i: number): Body {
  const random = randomOf(`tenant ${i}`)
  const last = random.pick(LAST_NAMES)
  const first = random.pick(FIRST_NAMES)
  const firm = random.chance(0.3)
  const name = firm ? random.pick(FIRMS).replaceAll('*', last) : `${first} ${last}`
  const city = random.pick(CITIES)
  return {
    Name: name,
    TenantType: firm ? 'Company' : 'Person',
    Email: `${asciiOf(first)}.${asciiOf(last)}.${i + 1}@example.${random.pick(['com', 'org', 'net'])}`,
    Phone: `+31 20 ${random.between(100, 999)} ${random.between(1_000, 9_999)}`,
    ...(firm && { ContactPerson: `${first} ${last}` }),
    Street: `${random.pick(STREETS)} ${random.between(1, 240)}`,
    PostalCode: String(random.between(1_000, 9_999)),
    City: city.name,
    Country: city.country,
    Status: 'Active',
    ExternalId: coded(company, `DEB-${String(i + 1).padStart(5, '0')}`),
  }
}

/** What is known of a contract without any Key. */
export interface Lease {
  readonly unit: number
  readonly tenant: number
  readonly start: string
  readonly months: number
  readonly status: string
  readonly rent: Money
  readonly renewed: boolean
}

export function leaseOf(company: Company, i: number): Lease {
  const { units, contracts, tenants, today } = company
  const unit = i % units
  const turn = Math.floor(i / units)
  const turns = Math.ceil(contracts / units)
  const ofUnit = randomOf(`leases of unit ${unit}`)
  const newest = ofUnit.between(-12, 2)
  const stay = ofUnit.between(1, 4)
  const day = ofUnit.pick([1, 1, 1, 15])
  const random = randomOf(`contract ${i}`)
  const months = random.pick([12, 12, 12, 12, 9, 6])
  const since = newest - 12 * (turns - 1 - turn)
  const city = cityOf(buildingOfUnit(company, unit))
  return {
    unit,
    tenant: randomOf(`tenant of unit ${unit} ${Math.floor(turn / stay)}`).between(0, tenants - 1),
    start: monthsAfter(today, since, day),
    months,
    status: statusOf(since, months, random.next()),
    rent: inSteps(letOf(unit).euros * city.level * 1.022 ** turn, city),
    renewed: turn % stay !== 0,
  }
}

export function contractBody(company: Company, i: number, keys: Keys): Body {
  const lease = leaseOf(company, i)
  const random = randomOf(`words of contract ${i}`)
  return {
    Tenant: keys.tenant[lease.tenant],
    Building: keys.building[buildingOfUnit(company, lease.unit)],
    Unit: keys.unit[lease.unit],
    MonthlyRent: lease.rent,
    StartDate: lease.start,
    Duration: lease.months,
    LeaseType: lease.renewed ? random.pick(['Renewal', 'Renewal', 'Extension']) : 'New',
    Status: lease.status,
    ...(random.chance(0.25) && { Notes: random.pick(REMARKS) }),
  }
}

/** By when the lease began and ends, in months from now, and by chance (0 to 1). */
function statusOf(since: number, months: number, chance: number): string {
  if (since > 0) return chance < 0.5 ? 'Draft' : chance < 0.8 ? 'PendingApproval' : 'Active'
  if (since + months > 0) return 'Active'
  return chance < 0.02 ? 'Cancelled' : chance < 0.1 ? 'Terminated' : 'Expired'
}

function inSteps(amount: number, { step, currency }: City): Money {
  return { Amount: Math.max(1, Math.round(amount / step)) * step, Currency: currency }
}

/** Letters for an e-mail address: what has no plain form is left out. */
function asciiOf(name: string): string {
  const plain = name.replace(/[łŁ]/g, 'l').replace(/[øØ]/g, 'o').normalize('NFD')
  return plain.replace(/[^A-Za-z]/g, '').toLowerCase()
}
