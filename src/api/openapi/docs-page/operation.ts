/** One operation: closed a line, opened its parameters, a command to try, and its answers. */
import type { Method, OpenApiDocument, Operation, Parameter, Reference, Response } from '../document.ts'
import { curlCommand } from './curl.ts'
import { html, prose, table, type Html } from './html.ts'

export function operationDetails(
  document: OpenApiDocument,
  path: string,
  method: Method,
  operation: Operation,
): Html {
  const parameters = (operation.parameters ?? []).map((one) => followed<Parameter>(document, one))
  const server = document.servers[0]?.url ?? ''
  const { operationId } = operation
  return html`<details>
    <summary>
      <span class="method ${method}">${method.toUpperCase()}</span>
      <code>${path}</code> <span class="soft">${operation.summary}</span>
      <a class="here" href="#${operationId}" aria-label="Link to ${operationId}">#</a>
    </summary>
    <div id="${operationId}">
      ${operation.description && html`<p>${prose(operation.description)}</p>`}
      <pre>${curlCommand({ server, path, method, operation, parameters })}</pre>
      ${parameters.length > 0 && parameterTable(parameters)} ${answers(document, operation)}
    </div>
  </details>`
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    ({ name, in: place, description, example }) =>
      html`<tr>
        <td class="name"><code>${name}</code></td>
        <td class="type">${place}</td>
        <td>
          ${prose(description)}
          ${example !== undefined && place !== 'path' && html`<span class="soft">Such as <code>${String(example)}</code></span>`}
        </td>
      </tr>`,
  )
  return html`<h4>Parameters</h4>
    ${table(['Name', 'In', 'Meaning'], rows)}`
}

function answers(document: OpenApiDocument, { responses }: Operation): Html {
  const all = Object.entries(responses).map(
    ([status, one]) => [status, followed<Response>(document, one)] as const,
  )
  const good = all.filter(([status]) => Number(status[0]) < 4)
  const bad = all.filter(([status]) => Number(status[0]) >= 4)
  return html`<h4>Answers</h4>
    ${good.map(([status, { description, headers, content }]) => {
      const example = Object.values(content ?? {})[0]?.example
      return html`<p>
          <strong>${status}</strong> ${prose(description)}
          ${headers && html`<span class="soft">Headers: ${Object.keys(headers).join(', ')}.</span>`}
        </p>
        ${example !== undefined && html`<pre>${JSON.stringify(example, null, 2)}</pre>`}`
    })}
    <p class="soft">Errors: ${bad.map(([status]) => html`<a href="#errors">${status}</a> `)}</p>`
}

/** What a reference leads to; anything else as it is. */
function followed<T>(document: OpenApiDocument, one: T | Reference): T {
  if (typeof one !== 'object' || one === null || !('$ref' in one)) return one
  const [, , kind = '', name = ''] = one.$ref.split('/')
  const components: Readonly<Record<string, Readonly<Record<string, unknown>>>> = document.components
  return components[kind]?.[name] as T
}
