/** The place in a body as errors name it: `['Grants', 0, 'Rows']` is `Grants[0].Rows`. */
export function fieldAt(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step).slice(0, 100)}`))
    .join('')
    .replace(/^\./, '')
}
