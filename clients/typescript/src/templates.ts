/** Templates of mails, of the notification service. */
import { ask } from './areas.ts'
import { Listing } from './listing.ts'
import type { Transport, Wishes, WriteWishes } from './transport.ts'
import type { AnyFields } from './values.ts'

export interface TemplateTexts {
  readonly name: string
  readonly trigger: string
  readonly subject: string
  readonly body: string
  readonly text?: string
  readonly locale?: string
  readonly area?: string
  /** Key or name of what stands around the body. */
  readonly layout?: string
}

export interface Template extends Required<Omit<TemplateTexts, 'text' | 'layout'>> {
  readonly Id: string
  /** Key. */
  readonly layout: string | null
  readonly text: string | null
  readonly version: number
  /** What is filled in: `{{Contract.Number}}`. */
  readonly tags: readonly string[]
}

export interface Layout {
  readonly Id: string
  readonly name: string
  readonly body: string
  readonly version: number
}

export interface StoredTemplate {
  readonly template: Template
  readonly warnings: readonly unknown[]
}

export class Templates {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(query: { readonly filter?: string; readonly sort?: string } & Wishes = {}): Listing<Template> {
    const { filter, sort, ...wishes } = query
    const listed = { transport: this.#transport, path: '/templates', query: { filter, sort }, wishes }
    return new Listing({ ...listed, asOf: undefined })
  }

  /** What stands around the bodies of templates. */
  layouts(wishes: Wishes = {}): Listing<Layout> {
    const listed = { transport: this.#transport, path: '/layouts', query: {}, wishes }
    return new Listing({ ...listed, asOf: undefined })
  }

  /** Stores a template; the one of the same name and language, if there is one, gets a new version. */
  push(template: TemplateTexts, wishes: WriteWishes = {}): Promise<StoredTemplate> {
    return ask(this.#transport, { method: 'POST', path: '/templates', body: { template }, ...wishes })
  }

  /** Its tags and what is doubtful; stores nothing. @throws Invalid */
  validate(template: TemplateTexts, wishes: Wishes = {}): Promise<AnyFields> {
    const call = { method: 'POST', path: '/templates/validate', body: { template }, kind: 'plain' } as const
    return ask(this.#transport, { ...call, ...wishes })
  }
}
