/** The bytes of a message's mail: with what its record was when it became due, and the template and layout of then. */
import type { Definitions } from '../../domain/definition.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../domain/records/record.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { fillIn, joined, pathsIn, type Part } from '../templates/render.ts'
import { valuesOf } from '../templates/values.ts'
import { isDigest, membersIn } from './gather.ts'
import type { MessageEvents } from './message-events.ts'
import { mimeOf } from './mime.ts'

export interface WriteMailOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly messages: Pick<MessageEvents, 'load'>
  readonly from: string
  readonly replyTo?: string | undefined
  readonly unsubscribeUrl: (company: Company, address: string, category: string) => string | undefined
}

export interface MessageToWrite {
  readonly company: Company
  readonly key: string
  readonly state: RecordState
  readonly messageId: string
}

/** The same bytes each time. @throws Error where they cannot be written; Unavailable */
export async function writeMail(
  options: WriteMailOptions,
  { company, key, state: { fields, createdAt }, messageId }: MessageToWrite,
): Promise<Buffer> {
  const { events, from, replyTo, unsubscribeUrl } = options
  const members = isDigest(fields) ? membersIn(await events.read(company, key)) : [fields]
  const written: WrittenPart[] = []
  for (const member of members) written.push(await partOf(options, company, member))
  const [{ locale, layout, part }, ...more] = written as [WrittenPart, ...WrittenPart[]]
  const to = fields['Recipient'] as string
  const category = fields['Category'] as string | undefined
  return mimeOf({
    from,
    replyTo,
    to,
    messageId,
    date: new Date((fields['NotBefore'] as string | undefined) ?? createdAt),
    locale,
    rendered: joined([part, ...more.map((one) => one.part)], layout),
    unsubscribe: category === undefined ? undefined : unsubscribeUrl(company, to, category),
  })
}

interface WrittenPart {
  readonly part: Part
  readonly locale: string
  /** What stands around all parts. */
  readonly layout: string | undefined
}

async function partOf(
  { definitions, events, messages }: WriteMailOptions,
  company: Company,
  member: Fields,
): Promise<WrittenPart> {
  const record = member['Record'] as string
  const definition = definitions.get(objectOfKey(record) ?? '')
  if (!definition) throw new Error(`there is no definition of ${record}`)
  const position = Number(member['Position'])
  const stateOf = async (_object: string, key: string) =>
    (await events.read(company, key)).filter((event) => event.position <= position).reduce(evolve, absent)
  const template = (await events.read(company, member['Template'] as string))
    .filter(({ version }) => version <= Number(member['TemplateVersion']))
    .reduce(evolve, absent).fields
  const layout = template['Layout'] as string | undefined
  const around = layout === undefined ? undefined : await stateOf('layout', layout)
  const texts = {
    subject: template['Subject'] as string,
    body: template['Body'] as string,
    text: template['Text'] as string | undefined,
  }
  const locale = (template['Locale'] as string | undefined) ?? 'en'
  const zone = ((await messages.load(company, company)).fields['TimeZone'] as string | undefined) ?? 'UTC'
  const state = await stateOf('', record)
  const of = { definition, definitions, key: record, state, stateOf, locale, zone }
  const { values } = await valuesOf(pathsIn(texts), of)
  return {
    part: fillIn(texts, values),
    locale,
    layout: around?.status === 'live' ? (around.fields['Body'] as string) : undefined,
  }
}
