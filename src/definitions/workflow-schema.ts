/** The shape of workflows and named events in a definition file. What must hold between their parts: `check-workflow.ts`. */
import { z } from 'zod'
import { COMPANY_ZONE } from '../domain/time/date-rule.ts'
import { isTimeZone } from '../domain/time/zones.ts'
import { fieldName, sentence, value } from './field-schema.ts'

const word = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9]*$/, 'must be lowercase letters and digits, a letter first')
const roleName = z
  .string()
  .max(60)
  .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'must be lowercase words, joined by underscores')
const states = z.array(value).min(1).max(100)
const filter = z.string().min(1).max(4_096)

/** A rule such as "at 08:00, 30 days before EndDate"; what must hold between it and the fields: `checks/check-workflow.ts`. */
export const dateRule = z.strictObject({
  date: fieldName.describe('The date field that days are counted from.'),
  days: z
    .array(z.int().min(-36_500).max(36_500))
    .min(1)
    .max(50)
    .describe('Days after the date; before it where negative.'),
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 08:00')
    .describe('The time of day.'),
  zone: z
    .string()
    .refine((zone) => zone === COMPANY_ZONE || isTimeZone(zone), 'must be `company` or a time zone')
    .describe('Whose clocks: `company`, or a time zone such as `Europe/Berlin`.'),
})

const transition = z.strictObject({
  action: word.describe('The action, a verb: POST /{object}/{key}/workflow/{action}.'),
  description: sentence.describe('What the action means, for users.').exactOptional(),
  done: word.describe('Its past participle, as in `submitted`: the event is `<object>.workflow.<done>`.'),
  from: states.describe('The states in which it can be taken.'),
  to: value.describe('The state that it leads to.'),
  roles: z
    .array(roleName)
    .min(1)
    .max(50)
    .describe('Who may take it: one of these roles, beside the grant of the action.')
    .exactOptional(),
  condition: filter.describe('A filter that the record must fulfil, lookups included.').exactOptional(),
  selfApproval: z
    .boolean()
    .describe(
      'Whether the user who brought the record into its present state may take it. Default: false for `approve`, otherwise true.',
    )
    .exactOptional(),
  requiresComment: z.boolean().describe('Whether a comment must come with it.').exactOptional(),
  set: z
    .record(fieldName, z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe(
      'Fields that get a value with it; null clears. `now` for a timestamp, `today` (UTC) for a date.',
    )
    .exactOptional(),
  due: dateRule.describe('When the service takes the action by itself.').exactOptional(),
})

export const workflow = z
  .strictObject({
    field: fieldName.describe('The strict choice field that holds the state.'),
    initial: value.describe('The state of a new record.'),
    states,
    entry: states
      .describe('States in which a record may be created beside the initial one; imports may name any.')
      .exactOptional(),
    strictStatus: z
      .boolean()
      .describe('The state changes by actions only. Otherwise an update may write it, too.')
      .exactOptional(),
    transitions: z
      .array(transition)
      .min(1)
      .max(100)
      .describe('The actions; each is there once.')
      .exactOptional(),
  })
  .describe('The states of a record, and the actions that lead from one to the next.')

export const namedEvent = z
  .strictObject({
    name: z
      .string()
      .max(80)
      .regex(/^[a-z][a-z0-9]*\.[a-z][a-z0-9]*$/, 'must be <object>.<word>, in lowercase')
      .describe('The name of the event: <object>.<word>.'),
    when: filter.describe(
      'A filter over the own fields of the record: the event happens with the write that makes it true.',
    ),
  })
  .describe('An event that says what a change meant, beside the event of the change itself.')
