/** The words that the demo's people, firms and works are made of. With accents and quotes on purpose: real ones have them. */

export const FIRST_NAMES = [
  ...['Zoë', 'Anaïs', 'Søren', 'Łukasz', 'Márta', 'Jürgen', 'Chloé', 'Ángel', 'Björn', 'Siobhán', 'Tomáš'],
  ...[
    'Inês',
    'Håkon',
    'Aylin',
    'François',
    'Noémie',
    'Václav',
    'Þóra',
    'Małgorzata',
    'José',
    'Renée',
    'Ömer',
  ],
  ...['Emma', 'Daan', 'Sofia', 'Liam', 'Yuki', 'Amara', 'Priya', 'Mehdi', 'Olga', 'Pieter', 'Fatima', 'Hugo'],
  ...['Ingrid', 'Matteo', 'Lucía', 'Kerem', 'Eilidh', 'Nguyễn', 'Wei', 'Jan-Willem', 'Anne-Sophie', 'Bram'],
]

export const LAST_NAMES = [
  ...["O'Brien", "D'Angelo", 'Müller', 'Ångström', 'Dvořáková', 'García', 'Løvenskiold', 'Szczęsny', 'Peña'],
  ...['van der Meer', 'de la Fontaine', "van 't Hof", "'s-Gravesande", 'Çelik', 'Kovács', 'Núñez', 'Weiß'],
  ...['Bergström', 'Jónsdóttir', 'Lefèvre', 'Żuławski', 'Šimánek', 'Brânză', 'Yıldız', 'Tanaka', 'Okafor'],
  ...['Patel', 'Jansen', 'Smith-Jones', 'Ferreira', 'Rossi', 'Novák', 'Hansen', 'Dubois', 'Schäfer', 'Trần'],
  ...[
    "O'Neill",
    "L'Hôpital",
    'Åkesson',
    'Gonçalves',
    'Bakker',
    'MacDonald',
    'Ivanova',
    'Lindqvist',
    'Moreau',
  ],
]

/** Firms: `*` is a family name. */
export const FIRMS = [
  'Bakkerij "De Gouden Krakeling" V.O.F.',
  'Café "Zum Schwarzen Bären" GmbH',
  "L'Atelier * SARL",
  "*'s Books & Maps Ltd",
  '* & Söhne Feinmechanik GmbH',
  'Kancelaria Radców Prawnych * Sp. k.',
  'Tandartspraktijk * B.V.',
  'Pâtisserie * & Fils',
  '* Arkitektkontor AB',
  'Nordlys Software ApS',
  'Študio * s.r.o.',
  'Clínica Dental * S.L.',
  '*–* Rechtsanwälte PartG mbB',
  'Æther Coffee Roasters',
  'Fysiotherapie "In Balans"',
  'Salon Fryzjerski «*»',
  '* Reklám Kft.',
  "O'* & Daughters Furniture",
  'Ravintola * Oy',
  'Yoga Studio “Sūrya”',
]

export const STREETS = [
  ...[
    'Prinsengracht',
    'Große Elbstraße',
    "Rue de l'Église",
    'Søndergade',
    'Ulica Świętojańska',
    'Calle Peña',
  ],
  ...['Karlův most', 'Ångströmsgatan', "St. John's Road", 'Königstraße', 'Laugavegur', "Avenue d'Été"],
  ...['Vörösmarty utca', 'Via dell’Orso', 'Lindenallee', 'Marktplein', 'Station Road', 'Østerbrogade'],
]

export const REMARKS = [
  'Pets allowed: one cat ("Minoes").',
  'Tenant pays the gardener; see letter of 3 March.',
  'Keys handed over at the café on the corner.',
  "Landlord's consent needed for subletting.",
  'Geen waarborgsom; bankgarantie ontvangen.',
  'Heizkosten pauschal, Abrechnung jährlich.',
  'Loyer indexé sur l’ILC, révision au 1er janvier.',
  'Balkon do remontu przed rozpoczęciem najmu.',
]

/** Work that buildings need: what it is, its trade, and what was done in the end. */
export const JOBS = [
  ['Tap drips in the kitchen', 'Plumbing', 'Replaced the washer and the cartridge.'],
  ['No hot water on the third floor', 'Heating', 'Bled the circuit, replaced the pump.'],
  ['Lift stops between floors', 'Lift', 'Adjusted the door sensor; tested with the inspector.'],
  ['Light in the stairwell is out', 'Electrical', 'New LED fitting and motion sensor.'],
  ['Roof leaks above the attic', 'Roof', 'Sealed the flashing around the chimney.'],
  ['Window does not close – draught', 'Windows', 'Planed the frame and fitted new seals.'],
  ['Front door closes too hard', 'Doors', 'Adjusted the door closer.'],
  ['Yearly inspection of fire extinguishers', 'Inspection', 'All within date; two replaced.'],
  ['Graffiti on the façade ("déjà vu")', 'Cleaning', 'Cleaned and coated.'],
  ['Cut the hedge along the pavement', 'Garden', 'Done; clippings removed.'],
] as const
