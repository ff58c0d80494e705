/** Months by their names and abbreviations in English, Dutch, German, French, Spanish and Italian. */
const NAMES: readonly (readonly string[])[] = [
  ['jan', 'january', 'januari', 'januar', 'jän', 'janv', 'janvier', 'ene', 'enero', 'gen', 'gennaio'],
  ['feb', 'february', 'februari', 'februar', 'fév', 'févr', 'février', 'febrero', 'febbraio'],
  ['mar', 'march', 'mrt', 'maart', 'mär', 'märz', 'mars', 'marzo'],
  ['apr', 'april', 'avr', 'avril', 'abr', 'abril', 'aprile'],
  ['may', 'mei', 'mai', 'mayo', 'mag', 'maggio'],
  ['jun', 'june', 'juni', 'juin', 'junio', 'giu', 'giugno'],
  ['jul', 'july', 'juli', 'juil', 'juillet', 'julio', 'lug', 'luglio'],
  ['aug', 'august', 'augustus', 'aoû', 'août', 'ago', 'agosto'],
  ['sep', 'sept', 'september', 'septembre', 'septiembre', 'set', 'settembre'],
  ['oct', 'october', 'okt', 'oktober', 'octobre', 'octubre', 'ott', 'ottobre'],
  ['nov', 'november', 'novembre', 'noviembre'],
  ['dec', 'december', 'dez', 'dezember', 'déc', 'décembre', 'dic', 'diciembre', 'dicembre'],
]

const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, i) => names.map((name) => [name, i + 1] as const)),
)

/** 1 to 12; undefined when it is not the name of a month. */
export const monthNamed = (text: string): number | undefined => MONTHS.get(text.toLowerCase())
