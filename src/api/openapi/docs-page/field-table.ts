/** The fields of an object as a table: type, whether they must be sent, meaning. */
import type { OpenApiDocument, Schema } from '../document.ts'
import { html, prose, table, type Html } from './html.ts'

/** `record` and `create` are the schemas of the whole record and of what creates one. */
export function fieldTable(record: Schema, create: Schema, document: OpenApiDocument): Html {
  const rows = Object.entries(record.properties ?? {}).map(
    ([name, field]) =>
      html`<tr>
        <td class="name"><code>${name}</code></td>
        <td class="type">${typeOf(field, document)}</td>
        <td class="type">${sending(name, create)}</td>
        <td>${field.description && prose(field.description)} ${notes(field)}</td>
      </tr>`,
  )
  return table(['Field', 'Type', 'On create', 'Meaning'], rows)
}

function typeOf(schema: Schema, document: OpenApiDocument): Html {
  const field = schema['x-field']
  if (!field) return html`Key`
  const { type, target, unit, maxLength } = field
  if (type === 'lookup') {
    const name = document.tags.find((tag) => tag.name.toLowerCase() === target)?.name
    return html`lookup of <a href="#${name}">${name}</a>`
  }
  return html`${type}${unit && html` <span class="soft">in ${unit}</span>`}${
    maxLength !== undefined && html` <span class="soft">up to ${maxLength}</span>`
  }`
}

function sending(name: string, create: Schema): Html {
  if (!create.properties?.[name]) return html`<span class="soft">assigned</span>`
  if (create.required?.includes(name)) return html`<span class="tag must">required</span>`
  const initial = create.properties[name]['default']
  return initial === undefined
    ? html`optional`
    : html`optional <span class="soft">else <code>${JSON.stringify(initial)}</code></span>`
}

function notes(schema: Schema): Html {
  const field = schema['x-field']
  if (!field) return html``
  const { choices, strict, minimum, maximum, notBefore, afterTodayOnCreate } = field
  const rules = [
    minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}.`,
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minimum === undefined && maximum !== undefined && `At most ${maximum}.`,
    afterTodayOnCreate && 'Later than today (UTC) on create.',
    notBefore !== undefined && `Not before ${notBefore}.`,
  ].filter(Boolean)
  const tags = (['unique', 'searchable', 'personal'] as const).filter((flag) => field[flag])
  return html`${rules.join(' ')} ${tags.map((tag) => html`<span class="tag">${tag}</span>`)}
  ${choices && html`<div class="choices">${choices.map((choice) => html`<code>${choice}</code> `)}${!strict && html`<span class="soft">or other text</span>`}</div>`}`
}
