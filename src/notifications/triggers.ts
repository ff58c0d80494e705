/** Triggers: when messages are written, about which records, and who gets them. Data, in `definitions/triggers/<area>/`. */
import { z } from 'zod'
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { faultsOf } from '../domain/errors.ts'
import { meantName } from '../domain/filter/closest-name.ts'
import { parseFilter } from '../domain/filter/parse.ts'
import { COMPANY_ZONE } from '../domain/time/date-rule.ts'
import { isTimeZone } from '../domain/time/zones.ts'
import { AREAS } from './objects.ts'
import { resolveTag } from './templates/tags.ts'

export const TRIGGER_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

const WINDOW = /^([1-9]\d{0,3})(m|h)$/
const UNITS = { m: 60_000, h: 3_600_000 } as const

const path = z.string().max(300)
const recipient = z.union([
  z.strictObject({
    field: path.describe('A path to an address: `Tenant.Email`.'),
    locale: path.describe('A path to the language of the recipient.').exactOptional(),
  }),
  z.strictObject({ role: z.string().max(60).describe('Every active user with the role.') }),
  z.strictObject({
    mayTake: z.string().max(40).describe('Every active user who may take this action on the record.'),
    notActor: z.boolean().describe('Not the person who led to it.').exactOptional(),
  }),
])

export const triggerSchema = z.strictObject({
  $schema: z.string().describe('Where editors find the schema of this file.').exactOptional(),
  trigger: z.string().max(80).regex(TRIGGER_NAME, 'must be words in lowercase, joined by hyphens'),
  area: z.enum(AREAS),
  object: z.string().max(40).describe('The object of its records; `*`: any.'),
  on: z.union([
    z.strictObject({ event: z.string().max(100).describe('The name of an event; it may begin with `*.`.') }),
    z.strictObject({
      date: z.string().max(60).describe('A date field of the record.'),
      days: z
        .array(z.int().min(-36_500).max(36_500))
        .min(1)
        .max(50)
        .describe('How many days after the date; before it when negative.'),
      at: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 08:00')
        .describe('The time of day.'),
      zone: z
        .string()
        .refine((zone) => zone === COMPANY_ZONE || isTimeZone(zone), 'must be `company` or a time zone')
        .describe('The time zone of that time, as in `Europe/Oslo`; `company`: that of the company.'),
    }),
  ]),
  filter: z.string().min(1).max(4_096).describe('Only of records that it finds.').exactOptional(),
  to: z.array(recipient).min(1).max(10),
  category: z
    .string()
    .max(60)
    .regex(TRIGGER_NAME)
    .describe('What recipients may unsubscribe from.')
    .exactOptional(),
  ifUnsure: z
    .enum(['resend', 'hold'])
    .default('resend')
    .describe(
      'Where it is unknown whether a mail was taken: send it again, or hold it for a person to decide.',
    ),
  digest: z
    .strictObject({ window: z.string().regex(WINDOW, 'must be minutes or hours, such as 15m or 24h') })
    .describe('Messages to one recipient within such a time are one mail, at its end.')
    .exactOptional(),
  backfill: z.boolean().describe('Also dates that were due before the trigger was there.').exactOptional(),
  catchUpDays: z
    .int()
    .min(0)
    .max(3_650)
    .describe('By how many days a message may be late; later it is skipped.')
    .exactOptional(),
  duringImport: z.enum(['mute', 'send']).default('mute').describe('Whether imports write messages.'),
})

export type Trigger = z.infer<typeof triggerSchema>
export type Triggers = ReadonlyMap<string, Trigger>

export interface TriggerFault {
  readonly path: readonly PropertyKey[]
  readonly reason: string
}

/** What is wrong between a trigger and the definitions; nothing when it fits. */
export function triggerFaults(trigger: Trigger, definitions: Definitions): readonly TriggerFault[] {
  if (trigger.object === '*')
    return 'date' in trigger.on || trigger.filter !== undefined || trigger.to.some((to) => 'field' in to)
      ? [{ path: ['object'], reason: 'a trigger of any object can name no fields' }]
      : []
  const definition = definitions.get(trigger.object)
  if (!definition) {
    const hint = meantName(trigger.object, [...definitions.keys()])
    return [{ path: ['object'], reason: `there is no object ${trigger.object}${hint}` }]
  }
  return [
    ...dateFaults(trigger, definition),
    ...pathFaults(trigger, definition, definitions),
    ...filterFaults(trigger, definition, definitions),
  ]
}

function dateFaults({ on }: Trigger, { fields }: ObjectDefinition): TriggerFault[] {
  if (!('date' in on)) return []
  const dates = fields.filter(({ type }) => type === 'date').map(({ name }) => name)
  if (dates.includes(on.date)) return []
  return [{ path: ['on', 'date'], reason: `there is no date field ${on.date}${meantName(on.date, dates)}` }]
}

function pathFaults({ to }: Trigger, definition: ObjectDefinition, definitions: Definitions): TriggerFault[] {
  return to.flatMap((one, index) =>
    (['field', 'locale'] as const).flatMap((key) => {
      const path: string | undefined = 'field' in one ? one[key] : undefined
      if (path === undefined) return []
      const found = resolveTag(path, definition, definitions)
      return 'fault' in found ? [{ path: ['to', index, key], reason: `${path}: ${found.fault}` }] : []
    }),
  )
}

function filterFaults(
  { filter }: Trigger,
  definition: ObjectDefinition,
  definitions: Definitions,
): TriggerFault[] {
  if (filter === undefined) return []
  return faultsOf(() => parseFilter(filter, definition, definitions, 'kept')).map(({ Message }) => ({
    path: ['filter'],
    reason: Message,
  }))
}

/** Of a trigger with a digest, in ms. */
export function windowOf({ digest }: Trigger): number {
  const [, count = '0', unit = 'm'] = WINDOW.exec(digest?.window ?? '') ?? []
  return Number(count) * UNITS[unit as keyof typeof UNITS]
}

/** Whether an event of that name is what the trigger waits for. */
export function waitsFor({ on }: Trigger, event: string): boolean {
  if (!('event' in on)) return false
  return on.event.startsWith('*.') ? event.endsWith(on.event.slice(1)) : on.event === event
}
