/** Rows of employees of which some are wrong, in twenty ways: what each must be refused for, and how it would be right. */

export const COLUMNS = [
  'EmployeeNumber',
  'Name',
  'Email',
  'Phone',
  'Department',
  'Manager',
  'Workplace',
  'WeeklyHours',
  'HiredOn',
  'LeftOn',
  'CostCentre',
  'Status',
] as const
type Column = (typeof COLUMNS)[number]
export type Row = Readonly<Record<Column, string>>

/** What is there before: an employee of each number, and two of one name; two buildings of one name, and one of its own. */
export const THERE = {
  employees: [
    { EmployeeNumber: 'OLD-1', Name: 'Boss' },
    { EmployeeNumber: 'OLD-2', Name: 'Twin' },
    { EmployeeNumber: 'OLD-3', Name: 'Twin' },
  ],
  buildings: ['Tower', 'House', 'House'],
} as const

const goodRow = (i: number): Row => ({
  EmployeeNumber: `E-${String(i).padStart(7, '0')}`,
  Name: `Person ${i}`,
  Email: `person${i}@example.org`,
  Phone: '0012345',
  Department: 'Maintenance',
  Manager: 'Boss',
  Workplace: 'Tower',
  WeeklyHours: '36.5',
  HiredOn: '2029-02-13',
  LeftOn: '2030-12-31',
  CostCentre: '00470',
  Status: 'Active',
})

export interface Broken {
  readonly column: Column
  readonly value: (i: number) => string
  readonly message: RegExp
}

export const KINDS: readonly Broken[] = [
  { column: 'EmployeeNumber', value: () => '', message: /required|missing/ },
  {
    column: 'EmployeeNumber',
    value: () => 'OLD-1',
    message: /another employee has this value|row \d+ of this file already/,
  },
  { column: 'EmployeeNumber', value: (i) => `E-${'0'.repeat(60)}${i}`, message: /longer than 50 characters/ },
  { column: 'EmployeeNumber', value: () => 'E-0000001', message: /is in row 2 of this file already/ },
  { column: 'Name', value: () => '', message: /is required/ },
  { column: 'Name', value: (i) => `${i}${'x'.repeat(200)}`, message: /longer than 200 characters/ },
  { column: 'Email', value: () => 'nobody', message: /must be an e-mail address/ },
  { column: 'Email', value: () => 'a b@example.org', message: /must be an e-mail address/ },
  { column: 'Phone', value: () => '0'.repeat(51), message: /longer than 50 characters/ },
  { column: 'Department', value: () => 'd'.repeat(101), message: /longer than 100 characters/ },
  { column: 'Manager', value: () => 'Stranger', message: /employee/ },
  { column: 'Manager', value: () => 'Twin', message: /several|more than one|…/ },
  { column: 'Workplace', value: () => 'Castle', message: /building/ },
  { column: 'Workplace', value: () => 'House', message: /several|more than one|…/ },
  { column: 'WeeklyHours', value: () => 'many', message: /number/ },
  { column: 'WeeklyHours', value: () => '1.2.3', message: /number/ },
  { column: 'HiredOn', value: () => '2029-02-30', message: /day|date/ },
  { column: 'HiredOn', value: () => 'soon', message: /day|date/ },
  { column: 'LeftOn', value: () => '2028-01-01', message: /HiredOn/ },
  { column: 'Status', value: () => 'Asleep', message: /must be/ },
]

/** The kind of the row that is `i`th in the file, from 1; undefined: it is good. The first is good: others are compared with it. */
export const kindOf = (i: number, every: number): Broken | undefined =>
  i % every === 0 ? KINDS[(i / every) % KINDS.length] : undefined

export function rowOf(i: number, every: number): Row {
  const kind = kindOf(i, every)
  return kind ? { ...goodRow(i), [kind.column]: kind.value(i) } : goodRow(i)
}

/** The cells of a refused row with the wrong one put right. */
export function corrected(i: number, every: number, cells: readonly string[]): readonly string[] {
  const kind = kindOf(i, every)
  const place = COLUMNS.findIndex((column) => column === kind?.column)
  return cells.map((cell, at) => (at === place ? goodRow(i)[COLUMNS[place]!] : cell))
}

export const MAPPING = {
  KeyField: 'EmployeeNumber',
  Fields: {
    ...Object.fromEntries(COLUMNS.map((column) => [column, { Column: column }])),
    Manager: { Column: 'Manager', LookupBy: 'Name' },
    Workplace: { Column: 'Workplace', LookupBy: 'Name' },
  },
} as const
