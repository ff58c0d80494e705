/** Makes a request of what a file says of it (`definition/request-schema.ts`) and what it is about. Pure. */
import { isObject, type Json } from '../../domain/json.ts'
import type { Expression } from '../definition/expression-schema.ts'
import type { IntegrationRequest } from '../definition/request-schema.ts'
import type { Template } from '../definition/template-schema.ts'
import type { FilledRequest } from './call.ts'
import { xmlBody } from './xml-body.ts'
import { evaluate, isSought, type Source } from '../mapping/evaluate.ts'
import { shown, Unmappable } from '../mapping/unmappable.ts'

const TYPES: Readonly<Record<IntegrationRequest['encoding'], string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'application/xml; charset=utf-8',
}

/** @throws Unmappable for what cannot stand in a request */
export function fillRequest(request: IntegrationRequest, source: Source): FilledRequest {
  const { method, parameters = {}, query = {}, headers = {}, body, encoding } = request
  const path = request.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const expression = Object.hasOwn(parameters, name) ? parameters[name]! : name
    return pathPart(textOf(expression, source), name)
  })
  const asked = new URLSearchParams()
  for (const [name, expression] of Object.entries(query)) {
    const text = textOf(expression, source)
    if (text !== undefined) asked.set(name, text)
  }
  const filled: Record<string, string> = {}
  for (const [name, expression] of Object.entries(headers)) {
    const text = textOf(expression, source)
    if (text !== undefined) filled[name] = headerValue(text, name)
  }
  const made = body === undefined ? undefined : fillTemplate(body, source)
  return {
    method,
    path: asked.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${asked.toString()}`,
    headers: made === undefined ? filled : { 'content-type': TYPES[encoding], ...filled },
    body: made === undefined ? undefined : bodyText(made, encoding),
  }
}

/** The value of a template; members without a value are left out. @throws Unmappable */
export function fillTemplate(template: Template, source: Source): Json | undefined {
  if (typeof template === 'object' && 'object' in template) {
    const filled = Object.entries(template.object).flatMap(([name, inner]) => {
      const value = fillTemplate(inner, source)
      return value === undefined ? [] : [[name, value] as const]
    })
    return filled.length === 0 ? undefined : Object.fromEntries(filled)
  }
  if (typeof template === 'object' && 'list' in template)
    return template.list.flatMap((inner) => {
      const value = fillTemplate(inner, source)
      return value === undefined ? [] : [value]
    })
  const made = evaluate(template, source)
  if (isSought(made)) throw new Unmappable('a lookup has no place in a request')
  return made
}

function textOf(expression: Expression, source: Source): string | undefined {
  const made = evaluate(expression, source)
  if (made === undefined || made === null) return undefined
  if (typeof made === 'object') throw new Unmappable(`${shown(made as Json)} is not a text`)
  return String(made)
}

/** One part of a path: it leads nowhere else, whatever it is. */
function pathPart(text: string | undefined, name: string): string {
  if (text === undefined || text === '') throw new Unmappable(`there is nothing for {${name}} of the path`)
  if (text.length > 200 || /^\.{1,2}$/.test(text)) throw new Unmappable(`${shown(text)} is not an Id`)
  return encodeURIComponent(text)
}

function headerValue(text: string, name: string): string {
  if (!/^[\t\x20-\x7e]{0,2000}$/.test(text))
    throw new Unmappable(`${shown(text)} cannot stand in the header ${name}`)
  return text
}

function bodyText(made: Json, encoding: IntegrationRequest['encoding']): string {
  if (encoding === 'json') return JSON.stringify(made)
  if (encoding === 'xml') return xmlBody(made)
  if (!isObject(made)) throw new Unmappable('a form has to be made of an object')
  const plain = Object.entries(made).flatMap(([name, value]) =>
    typeof value === 'object' ? [] : [[name, String(value)]],
  )
  return new URLSearchParams(plain).toString()
}
