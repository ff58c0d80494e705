/** The cities that the demo's company has buildings in, and what renting costs there. */

export interface City {
  readonly name: string
  /** The building codes of the city begin with it. */
  readonly code: string
  readonly country: string
  readonly currency: string
  /** What a rent in euros is multiplied by. */
  readonly level: number
  /** Rents are agreed in steps of this. */
  readonly step: number
  readonly at: readonly [latitude: number, longitude: number]
  readonly buildings: readonly string[]
}

export const CITIES: readonly City[] = [
  {
    name: 'Amsterdam',
    code: 'AMS',
    country: 'NL',
    currency: 'EUR',
    level: 1.25,
    step: 5,
    at: [52.37, 4.9],
    buildings: [
      'De Gouden Bocht',
      "'t Blauwe Huis",
      'Entrepotdok Noord',
      'Villa Oranjerie',
      'Het "Nieuwe" Lyceum',
    ],
  },
  {
    name: 'Zürich',
    code: 'ZRH',
    country: 'CH',
    currency: 'CHF',
    level: 1.9,
    step: 10,
    at: [47.37, 8.54],
    buildings: ['Haus "Zum Rüden"', 'Seefeldpärkli', 'Löwenbräu-Areal', 'Kirchgässli', 'Züri-Tor'],
  },
  {
    name: 'London',
    code: 'LON',
    country: 'GB',
    currency: 'GBP',
    level: 1.6,
    step: 25,
    at: [51.51, -0.13],
    buildings: [
      "St. Katharine's Wharf",
      "King's Mews",
      'The "Old" Brewery',
      'Camden Lock House',
      "Queen's Yard",
    ],
  },
  {
    name: 'Kraków',
    code: 'KRK',
    country: 'PL',
    currency: 'PLN',
    level: 2.9,
    step: 50,
    at: [50.06, 19.94],
    buildings: [
      'Dom pod Różą',
      'Kamienica Żółta',
      'Pałac Łazienkowski',
      'Osiedle Słoneczne',
      'Dwór „Pod Lipą”',
    ],
  },
  {
    name: 'Malmö',
    code: 'MMX',
    country: 'SE',
    currency: 'SEK',
    level: 9.5,
    step: 50,
    at: [55.6, 13.0],
    buildings: ['Västra Hamnen 12', 'Kvarteret Ängen', 'Möllevången', 'Sjöjungfrun', 'Kyrkbacken'],
  },
  {
    name: 'København',
    code: 'CPH',
    country: 'DK',
    currency: 'DKK',
    level: 8.6,
    step: 50,
    at: [55.68, 12.57],
    buildings: ['Ørestad Nord', 'Søpavillonen', 'Bryggens Bastion', 'Frederiksstaden', 'Nørreport Hus'],
  },
  {
    name: 'Genève',
    code: 'GVA',
    country: 'CH',
    currency: 'CHF',
    level: 1.85,
    step: 10,
    at: [46.2, 6.14],
    buildings: ["Résidence l'Étoile", 'Les Pâquis', 'Tour de l’Île', "Clos d'Été", 'Îlot 13'],
  },
  {
    name: 'Praha',
    code: 'PRG',
    country: 'CZ',
    currency: 'CZK',
    level: 20,
    step: 100,
    at: [50.08, 14.44],
    buildings: ['Dům U Zlatého hada', 'Palác Špork', 'Vinohradská tržnice', 'Žižkovská věž', 'Malá Strana 4'],
  },
  {
    name: 'Lisboa',
    code: 'LIS',
    country: 'PT',
    currency: 'EUR',
    level: 0.9,
    step: 5,
    at: [38.72, -9.14],
    buildings: [
      'Palácio São Bento',
      'Edifício Conceição',
      'Pátio da Graça',
      'Torre do Relógio',
      'Vila Estrêla',
    ],
  },
  {
    name: 'Reykjavík',
    code: 'RKV',
    country: 'IS',
    currency: 'ISK',
    level: 150,
    step: 1000,
    at: [64.15, -21.94],
    buildings: ['Hús Þórðar', 'Ægisgata 7', 'Tjarnargarður', 'Hafnarhöll', 'Öskjuhlíð'],
  },
]
