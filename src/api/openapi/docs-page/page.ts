/**
 * The OpenAPI document as a page to read: navigation by application and object, fields, operations with curl commands.
 * Self-contained and without script, so it shows under `docsPagePolicy`; everything from the document is escaped.
 */
import { createHash } from 'node:crypto'
import { fieldTable } from './field-table.ts'
import { guidePath, type Guide } from '../guides.ts'
import { html, prose, table, type Html } from './html.ts'
import { operationDetails } from './operation.ts'
import { style } from './style.ts'
import type { Method, OpenApiDocument } from '../document.ts'

// Not in a template: the hash holds for this text to the letter, and a formatter may indent templates.
const styleElement: Html = { html: `<style>${style}</style>` }

/** The Content-Security-Policy under which the page shows: its own style and nothing else. */
export const docsPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface AroundDocument {
  /** Path of the document itself. */
  readonly dataAt?: string
  readonly guides?: readonly Guide[]
}

/** The whole page, from `<!doctype html>`. */
export function docsPage(
  document: OpenApiDocument,
  { dataAt = '/api/v1/openapi.json', guides = [] }: AroundDocument = {},
): string {
  const { title, version, summary } = document.info
  const groups = document['x-tagGroups']
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} ${version}: the API</title>
        ${styleElement}
      </head>
      <body>
        <nav aria-label="Objects">
          <a href="#top"><b>${title}</b> <span class="soft">${version}</span></a>
          ${groups.map(({ name, tags }) => html`<strong>${name}</strong>${tags.map((tag) => html`<a href="#${tag}">${tag}</a>`)}`)}
        </nav>
        <main id="top">
          <h1>${title}</h1>
          <p class="soft">${summary} Version ${version}.</p>
          ${introduction(document, dataAt)} ${guides.length > 0 && guideLinks(guides)}
          ${groups.map(
            ({ name, tags }) =>
              html`<h2>${name}</h2>
                ${tags.map((tag) => tagSection(document, tag))}`,
          )}
        </main>
      </body>
    </html> `.html
}

function introduction(document: OpenApiDocument, dataAt: string): Html {
  const server = document.servers[0]?.url ?? ''
  const { securitySchemes } = document.components
  return html`<p>${prose(document.info.description)}</p>
    <h4>Address</h4>
    <p>
      <code>${server}</code>; this page as data: <a href="${server}${dataAt}">openapi.json</a> (OpenAPI
      ${document.openapi}).
    </p>
    <h4>Authentication</h4>
    ${Object.values(securitySchemes).map((scheme) => html`<p>${prose('description' in scheme ? String(scheme.description) : '')}</p>`)}
    <p>The commands on this page take the token from the shell: <code>export TOKEN=…</code></p>
    <h4 id="errors">Errors</h4>
    ${errorTable(document)}`
}

function guideLinks(guides: readonly Guide[]): Html {
  return html`<h4 id="guides">Guides</h4>
    <p>${guides.map((guide) => html`<a href="${guidePath(guide)}">${guide.title}</a> · `)} all as text.</p>`
}

/** Every status that operations are refused with in the Error wrapper, and when. */
function errorTable(document: OpenApiDocument): Html {
  const seen = new Map<string, string>()
  for (const [, , { responses }] of operationsOf(document))
    for (const [status, one] of Object.entries(responses))
      if (Number(status[0]) >= 4 && '$ref' in one) seen.set(status, one.$ref.split('/').at(-1) ?? '')
  const rows = [...seen].sort().map(([status, name]) => {
    const { description = '', content } = document.components.responses[name] ?? {}
    const example = content?.['application/json']?.example as { Error: { Code: string } } | undefined
    return html`<tr>
      <td class="name">${status}</td>
      <td class="type"><code>${example?.Error.Code}</code></td>
      <td>${prose(description)}</td>
    </tr>`
  })
  return table(['Status', 'Code', 'When'], rows)
}

function tagSection(document: OpenApiDocument, tag: string): Html {
  const { schemas } = document.components
  const [record, create] = [schemas[tag], schemas[`${tag}.Create`]]
  const description = document.tags.find(({ name }) => name === tag)?.description
  return html`<section class="object" id="${tag}">
    <h3>${tag}</h3>
    <p>${description && prose(description)}</p>
    ${record && create && fieldTable(record, create, document)}
    ${operationsOf(document)
      .filter(([, , { tags }]) => tags.includes(tag))
      .map(([path, method, operation]) => operationDetails(document, path, method, operation))}
  </section>`
}

function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [path, method as Method, operation] as const),
  )
}
