/** Templates as requests and answers have them: with the member names of docs/notifications.md#templates. */
import { Invalid, type Fault } from '../../domain/errors.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { isLocale } from '../../domain/time/locales.ts'
import { membersOf } from '../../identity/request-bodies.ts'
import { AREAS } from '../../notifications/objects.ts'
import { TRIGGER_NAME, type Triggers } from '../../notifications/triggers.ts'

const MEMBERS = ['name', 'trigger', 'subject', 'body', 'text', 'locale', 'area']

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
  if (faults.length > 0) throw new Invalid('The template is not valid.', faults)
  const { name, subject, body: html, text } = given
  return {
    Name: name!,
    Trigger: trigger!,
    Subject: subject!,
    Body: html!,
    Locale: locale,
    Area: area,
    ...(text !== undefined && { Text: text }),
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
  const { Subject, Body, Text } = fields
  const {
    Name: name,
    Trigger: trigger,
    Area: area,
    Locale: locale,
    Subject: subject,
    Body: body,
    Text: text,
  } = fields
  const content = [Subject, Body, Text].filter((one) => typeof one === 'string').join('\n')
  const tags = [...new Set([...content.matchAll(/\{\{\s*([\w.]+)\s*\}\}/g)].map((match) => match[1]!))]
  return {
    Id,
    name,
    trigger,
    area,
    locale,
    subject,
    body,
    text: text ?? null,
    version,
    tags,
  } as unknown as Fields
}
