/** Sort keys and filters on contracts that every read model must understand alike. */

const lines = (text: string) => text.trim().split(/\n\s*/)

export const SORTS = lines(`
  Id
  -Id
  CreatedAt
  -ModifiedAt
  ContractNumber
  -ContractNumber
  MonthlyRent
  -MonthlyRent
  MonthlyRent/Currency,-MonthlyRent
  StartDate
  -EndDate,Duration
  Status,-LeaseType,Duration
  Notes
  -Notes,Status
  AutoRenews
  -AutoRenews,SignedAt
  Tenant
  -Tenant/Name,StartDate
  Tenant/Id
  Unit/Number
  Tenant/Email
  -Tenant/Email,Status
  Tenant/IsActive,-Tenant/Score
  Unit/Building
  -Unit/Building/City
  Status,Tenant/Guarantor/Name
  -Tenant/Guarantor/Guarantor/Phone,-Unit/Area
  Building/BuiltOn
`)

export const FILTERS = [
  ...lines(String.raw`
    Status eq 'Active'
    Status eq 'active'
    LeaseType ne 'New'
    contains(LeaseType, 'NEW')
    Duration eq null
    Duration ne null
    Duration gt 1
    not (Duration gt 1)
    Duration le 12
    Duration eq 9007199254740991
    Duration in (1, 24, null)
    not (Duration in (1, 24))
    Duration ne 12
    MonthlyRent gt 0.1
    MonthlyRent/Amount eq 0.3
    MonthlyRent ne 1200.5
    MonthlyRent/Currency eq 'EUR'
    startswith(MonthlyRent/Currency, 'e')
    MonthlyRent eq null
    MonthlyRent/Currency ne null
    StartDate ge 2025-12-31
    EndDate lt '2026-06-15'
    StartDate eq 9999-12-31
    SignedAt gt 2026-01-01T00:00:00Z
    SignedAt le 2026-01-01T01:00:00+01:00
    AutoRenews
    not AutoRenews
    AutoRenews eq false
    AutoRenews ne true
    ContractNumber eq 'anna berg'
    tolower(ContractNumber) eq 'anna berg'
    toupper(Notes) ne 'O''BRIEN'
    ContractNumber gt 'm'
    ContractNumber le 'ANNA BERG'
    not (ContractNumber lt 'b')
    ContractNumber gt 'Ｚ'
    ContractNumber ge '😀'
    contains(ContractNumber, '𝔘')
    startswith(ContractNumber, 'ANNA')
    Notes eq ''
    endswith(Notes, 'berg')
    contains(Notes, '')
    contains(Notes, '%')
    contains(Notes, '_')
    contains(Notes, '.*')
    contains(Notes, '\')
    contains(Notes, '$')
    contains(Notes, '(x|y)')
    contains(Notes, 'å')
    contains(Notes, 'ß')
    contains(Notes, '"')
    contains(Notes, '''')
    startswith(Notes, '^')
    not contains(Notes, 'a')
    not startswith(Notes, '')
    Notes in ('100%', '$gt')
    Tenant eq null
    Tenant ne null
    Tenant/Name eq 'Anna Berg'
    Tenant/Name ne 'Anna Berg'
    Tenant/Name eq null
    contains(Tenant/Name, 'anna')
    not contains(Tenant/Name, 'anna')
    Tenant/Email eq 'anna@example.org'
    Tenant/Email ne 'anna@example.org'
    Tenant/Email eq null
    Tenant/Email ne null
    not (Tenant/Score gt 0)
    Tenant/Score lt 0.1
    Tenant/Score eq 0.0000001
    Tenant/Score eq 1e21
    Tenant/IsActive
    not Tenant/IsActive
    Tenant/Deposit gt 1200
    Tenant/Guarantor/Name ne null
    Tenant/Guarantor eq null
    Unit/Building/Name lt 'm'
    Unit/Building/City eq null
    not (Unit/Building/City eq null)
    startswith(Unit/Building/City, 'a')
    Building/Floors in (0, 1)
    not (Building/Floors in (0, 1))
    Tenant/Guarantor/Guarantor/IsActive ne true
    Status eq 'Active' and (Duration gt 1 or MonthlyRent lt 1) and not contains(Tenant/Name, 'o')
    Tenant/Email ne null and Unit/Area gt 10 or Status eq 'Draft' and AutoRenews
    true
    false
    Status eq 'Active' and false
    Status eq 'Active' and (true or Tenant eq null)
  `),
  `endswith(Notes, '\n')`,
]
