/** What a mapping does to a text before it is read. A closed list: no scripts. */

export function afterSteps(text: string, steps: readonly string[]): string {
  return steps.reduce(afterStep, text)
}

function afterStep(text: string, step: string): string {
  const [name = '', ...rest] = step.split(':')
  switch (name) {
    case 'trim':
      return text.trim()
    case 'upper':
      return text.toUpperCase()
    case 'lower':
      return text.toLowerCase()
    case 'collapse':
      return text.trim().replace(/\s+/g, ' ')
    case 'digits':
      return text.replace(/\D/g, '')
    case 'pad':
      return text === '' ? '' : text.padStart(Number(rest[0]), rest[1])
    case 'split':
      return text.split(rest.slice(0, -1).join(':'))[Number(rest.at(-1))] ?? ''
    case 'prefix':
      return text === '' ? '' : rest.join(':') + text
    default:
      return text
  }
}
