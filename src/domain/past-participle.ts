/** The past participle of an English verb, as names of events have it: submit, submitted. */

/** Verbs that the rule below gets wrong, among those that people name workflow actions by. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['begin', 'begun'],
  ['bring', 'brought'],
  ['build', 'built'],
  ['buy', 'bought'],
  ['cancel', 'cancelled'],
  ['choose', 'chosen'],
  ['commit', 'committed'],
  ['dun', 'dunned'],
  ['find', 'found'],
  ['forbid', 'forbidden'],
  ['freeze', 'frozen'],
  ['give', 'given'],
  ['hold', 'held'],
  ['keep', 'kept'],
  ['lend', 'lent'],
  ['let', 'let'],
  ['lose', 'lost'],
  ['make', 'made'],
  ['pay', 'paid'],
  ['permit', 'permitted'],
  ['plan', 'planned'],
  ['put', 'put'],
  ['refer', 'referred'],
  ['resubmit', 'resubmitted'],
  ['scrap', 'scrapped'],
  ['sell', 'sold'],
  ['send', 'sent'],
  ['ship', 'shipped'],
  ['skip', 'skipped'],
  ['split', 'split'],
  ['stop', 'stopped'],
  ['submit', 'submitted'],
  ['take', 'taken'],
  ['tell', 'told'],
  ['transfer', 'transferred'],
  ['undo', 'undone'],
  ['win', 'won'],
  ['withdraw', 'withdrawn'],
])

/** Of a verb in lowercase. Where the rule is wrong for a verb it does not know, definitions say `done` themselves. */
export function pastParticiple(verb: string): string {
  const known = IRREGULAR.get(verb)
  if (known !== undefined) return known
  if (verb.endsWith('e')) return `${verb}d`
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`
}
