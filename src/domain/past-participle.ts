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
  ['put', 'put'],
  ['refer', 'referred'],
  ['resubmit', 'resubmitted'],
  ['sell', 'sold'],
  ['send', 'sent'],
  ['split', 'split'],
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
  // One short syllable doubles its last letter: drop, dropped.
  if (/^[^aeiou]*[aeiou][^aeiouwxy]$/.test(verb)) return `${verb}${verb.at(-1)}ed`
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`
}
