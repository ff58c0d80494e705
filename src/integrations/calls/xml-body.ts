/** JSON as XML: members are elements, those whose names begin with `@` attributes, lists repeat their element. Pure. */
import { isObject, type Json } from '../../domain/json.ts'
import { shown, Unmappable } from '../mapping/unmappable.ts'

const NAME = /^[A-Za-z_][\w.-]*(:[A-Za-z_][\w.-]*)?$/

/** @throws Unmappable for what is not one element */
export function xmlBody(made: Json): string {
  const roots = isObject(made) ? Object.entries(made) : []
  const [root] = roots
  if (!root || roots.length > 1 || Array.isArray(root[1]))
    throw new Unmappable('XML has to be made of an object with one member, the root element')
  return `<?xml version="1.0" encoding="utf-8"?>${element(root[0], root[1])}`
}

function element(name: string, value: Json): string {
  checkName(name)
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => element(name, one)).join('')
  if (value === null || typeof value !== 'object')
    return `<${name}>${value === null ? '' : escaped(String(value))}</${name}>`
  if (!isObject(value)) throw new Unmappable(`${shown(value)} is not an element`)
  const [attributes, elements]: [string[], string[]] = [[], []]
  for (const [inner, one] of Object.entries(value)) {
    if (!inner.startsWith('@')) elements.push(element(inner, one))
    else if (typeof one === 'object') throw new Unmappable(`${shown(one)} cannot be the attribute ${inner}`)
    else attributes.push(` ${checkName(inner.slice(1))}="${escaped(String(one))}"`)
  }
  return `<${name}${attributes.join('')}>${elements.join('')}</${name}>`
}

function checkName(name: string): string {
  if (!NAME.test(name)) throw new Unmappable(`${shown(name)} is not a name in XML`)
  return name
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** XML has no way to write most control characters: they are left out. */
function escaped(text: string): string {
  return text
    .toWellFormed()

    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!)
}
