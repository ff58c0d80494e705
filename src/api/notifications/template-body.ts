/** Templates as requests and answers have them: with the member names of docs/notifications.md#templates. */
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { pathsIn } from '../../notifications/templates/render.ts'
import type { Triggers } from '../../notifications/triggers.ts'
import { readSent, sentTemplate } from './bodies.ts'

/**
 * The fields of `{template: {…}}`. The area is that of the trigger's folder where the request does not say another.
 * @throws Invalid
 */
export function fieldsOf(body: Json, triggers: Triggers): Fields {
  const { template } = readSent(sentTemplate, body, 'template')
  const { name, trigger, subject, body: html, text, layout, locale = 'en' } = template
  const { area = triggers.get(trigger)?.area ?? 'workflow' } = template
  return {
    Name: name,
    Trigger: trigger,
    Subject: subject,
    Body: html,
    Locale: locale,
    Area: area,
    ...(text !== undefined && { Text: text }),
    ...(typeof layout === 'string' && { Layout: layout }),
  }
}

/** What of the fields is rendered. */
export const textsOf = ({ Subject, Body, Text }: Fields) => ({
  subject: Subject as string,
  body: Body as string,
  text: (Text as string | null | undefined) ?? undefined,
})

/** The template as answers have it. */
export function shown(Id: string, version: number, fields: Fields) {
  const {
    Name: name,
    Trigger: trigger,
    Area: area,
    Locale: locale,
    Subject: subject,
    Body: body,
    Text: text,
    Layout,
  } = fields
  // Lists have a lookup with what it names.
  const layout = isObject(Layout ?? null) ? (Layout as Fields)['Id']! : (Layout ?? null)
  return {
    Id,
    name,
    trigger,
    area,
    locale,
    subject,
    body,
    text: text ?? null,
    layout,
    version,
    tags: pathsIn(textsOf(fields)),
  } as unknown as Fields
}
