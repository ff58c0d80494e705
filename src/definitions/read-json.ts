/**
 * Reads JSON and remembers where everything is, so that faults of a definition come with line and column. `JSON.parse` does not always say where it stopped, and accepts duplicate keys; here they are faults.
 */

/** From 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface ReadJson {
  readonly value: unknown
  /** Where the value at that path begins; of a path that leads nowhere, its nearest container. */
  readonly placeOf: (path: readonly PropertyKey[]) => Place
}

/** The text is not JSON. */
export class JsonSyntaxError extends Error {
  readonly place: Place
  constructor(message: string, place: Place) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.place = place
  }
}

const SPACE = /[ \t\r\n]*/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const DEEPEST = 32

/** @throws JsonSyntaxError naming the place */
export function readJson(text: string): ReadJson {
  const places = new Map<string, number>()
  let at = text.startsWith('\ufeff') ? 1 : 0

  function fail(message: string, offset = at): never {
    throw new JsonSyntaxError(message, placeAt(text, offset))
  }
  function expected(what: string): never {
    fail(`expected ${what}, found ${at < text.length ? JSON.stringify(text[at]) : 'the end of the file'}`)
  }
  /** The text that the pattern matches here, passed over; undefined when it matches none. */
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match?.[0]
  }
  /** Whether the character comes next; it is passed over then, with the space around it. */
  function next(character: string): boolean {
    take(SPACE)
    if (text[at] !== character) return false
    at++
    take(SPACE)
    return true
  }

  function value(path: readonly PropertyKey[]): unknown {
    take(SPACE)
    places.set(JSON.stringify(path), at)
    if (path.length > DEEPEST) fail(`nested deeper than ${DEEPEST}`)
    if (next('{')) return object(path)
    if (next('[')) return array(path)
    const scalar = take(STRING) ?? take(SCALAR) ?? expected('a value')
    return JSON.parse(scalar)
  }

  function object(path: readonly PropertyKey[]): unknown {
    const entries = new Map<string, unknown>()
    if (next('}')) return {}
    do {
      const start = at
      const name = JSON.parse(take(STRING) ?? expected('a key in double quotes')) as string
      if (entries.has(name)) fail(`the key ${JSON.stringify(name)} appears twice`, start)
      if (!next(':')) expected("':'")
      entries.set(name, value([...path, name]))
    } while (next(','))
    if (!next('}')) expected("',' or '}'")
    return Object.fromEntries(entries)
  }

  function array(path: readonly PropertyKey[]): unknown[] {
    const items: unknown[] = []
    if (next(']')) return items
    do items.push(value([...path, items.length]))
    while (next(','))
    if (!next(']')) expected("',' or ']'")
    return items
  }

  const whole = value([])
  take(SPACE)
  if (at < text.length) expected('nothing more')
  return {
    value: whole,
    placeOf(path) {
      for (let length = path.length; length > 0; length--) {
        const offset = places.get(JSON.stringify(path.slice(0, length)))
        if (offset !== undefined) return placeAt(text, offset)
      }
      return placeAt(text, places.get('[]') ?? 0)
    },
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}
