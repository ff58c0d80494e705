/** Templates as requests and answers have them: with the member names of docs/notifications.md#templates. */
import { Invalid, type Fault } from '../../domain/errors.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { isLocale } from '../../domain/time/locales.ts'
import { membersOf } from '../../identity/request-bodies.ts'
import { AREAS } from '../../notifications/objects.ts'
import { pathsIn } from '../../notifications/templates/render.ts'
import { TRIGGER_NAME, type Triggers } from '../../notifications/triggers.ts'

const MEMBERS = ['name', 'trigger', 'subject', 'body', 'text', 'locale', 'area', 'layout']

/**
 * The fields of `{template: {…}}`. The area is that of the trigger's folder where the request does not say another.
 * @throws Invalid
 */
export function fieldsOf(body: Json, triggers: Triggers): Fields {
  const { template } = membersOf(body, ['template'])
  if (!isObject(template ?? null))
    throw new Invalid('template: is required', [{ Field: 'template', Message: 'must be an object' }])
  const given = membersOf(template!, MEMBERS)
  const faults: Fault[] = []
  for (const name of ['name', 'trigger', 'subject', 'body'])
    if (typeof given[name] !== 'string' || given[name].trim() === '')
      faults.push({ Field: name, Message: 'is required, as text' })
  const { trigger, locale = 'en' } = given
  const known = typeof trigger === 'string' ? triggers.get(trigger) : undefined
  const { area = known?.area ?? 'workflow' } = given
  if (typeof trigger === 'string' && !TRIGGER_NAME.test(trigger))
    faults.push({
      Field: 'trigger',
      Message: 'must be words in lowercase, joined by hyphens: contract-renewal-reminder',
    })
  if (typeof locale !== 'string' || !isLocale(locale))
    faults.push({ Field: 'locale', Message: 'must be a language: en, de-AT' })
  if (!AREAS.some((one) => one === area))
    faults.push({ Field: 'area', Message: `must be one of ${AREAS.join(', ')}` })
  if (given['text'] !== undefined && typeof given['text'] !== 'string')
    faults.push({ Field: 'text', Message: 'must be text' })
  const { name, subject, body: html, text, layout } = given
  if (layout !== undefined && layout !== null && typeof layout !== 'string')
    faults.push({ Field: 'layout', Message: 'must be the Key or the name of a layout' })
  if (faults.length > 0) throw new Invalid('The template is not valid.', faults)
  return {
    Name: name!,
    Trigger: trigger!,
    Subject: subject!,
    Body: html!,
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
