/** Files that do not keep the rules of citations and style yet. A file that does must leave its list; none comes in. */
export const CITING_OTHERWISE: readonly string[] = []

export const ODD_TEXTS: readonly string[] = [
  'src/adapters/mongodb/read-models/serving.ts',
  'src/compose/ready.ts',
]

export const ODD_COMMENTS: readonly string[] = []

export const ODD_PAGES: readonly string[] = []
