/**
 * A template as it was uploaded, checked against the definitions: a tag that stands where no value is safe is refused, a tag
 * that leads nowhere is a warning, for the object may get the field later.
 */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { Invalid, type Fault } from '../../domain/errors.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import type { Trigger } from '../triggers.ts'
import { cleanHtml, type Cleaned } from './clean-html.ts'
import { contextFaults } from './contexts.ts'
import type { TemplateTexts } from './render.ts'
import { resolveTag, tagsIn, unclosedTags } from './tags.ts'

export interface Warning {
  readonly Field: string
  readonly Message: string
  /** From 0; absent where it concerns the whole. */
  readonly Position?: number
}

export interface CheckedTemplate {
  /** Paths, each once, in their order. */
  readonly tags: readonly string[]
  readonly warnings: readonly Warning[]
}

export interface CheckTemplateOptions {
  readonly definitions: Definitions
  readonly triggers: ReadonlyMap<string, Trigger>
  /** Where the template says that it belongs. */
  readonly area?: string | undefined
}

const FORMS = '{{Field}} or {{Lookup.Field}}'

/** @throws Invalid naming every fault */
export function checkTemplate(
  texts: TemplateTexts,
  triggerName: string,
  { definitions, triggers, area }: CheckTemplateOptions,
): CheckedTemplate {
  const trigger = triggers.get(triggerName)
  const objects = objectsOf(trigger, definitions)
  const warnings: Warning[] = []
  const faults: Fault[] = []
  const all: string[] = []
  for (const field of ['subject', 'body', 'text'] as const) {
    const content = texts[field]
    if (content === undefined) continue
    const { tags, odd } = tagsIn(content)
    all.push(...tags.map(({ path }) => path))
    for (const { path, at } of odd)
      faults.push({
        Field: field,
        Message: `{{${path.slice(0, 60)}}} at ${at} is not a tag: write ${FORMS}`,
      })
    faults.push(...unclosedTags(content, FORMS).map((Message) => ({ Field: field, Message })))
    for (const { path, at } of tags) {
      const reason = faultOf(path, objects, definitions)
      if (reason !== undefined)
        warnings.push({ Field: field, Message: `{{${path}}}: ${reason}`, Position: at })
    }
    if (field !== 'body') continue
    const isUrl = (path: string) =>
      objects.every((one) => {
        const found = resolveTag(path, one, definitions)
        return 'field' in found && found.field.type === 'url'
      })
    for (const { path, at, message } of contextFaults(content, tags, isUrl))
      faults.push({ Field: field, Message: `{{${path}}} at ${at} ${message}` })
    warnings.push(...removedWarnings(cleanHtml(content)))
  }
  if (faults.length > 0) throw new Invalid('The template is not valid.', faults)
  if (!trigger) {
    const meant = meantName(triggerName, [...triggers.keys()])
    warnings.push({ Field: 'trigger', Message: `nothing sends this trigger yet${meant}` })
  }
  if (trigger && area !== undefined && area !== trigger.area)
    warnings.push({ Field: 'area', Message: `the trigger is of the area ${trigger.area}` })
  return { tags: [...new Set(all)], warnings }
}

/** Of what is removed from a body. */
export function removedWarnings({ removed }: Cleaned): readonly Warning[] {
  const said = (name: string) => `${name} is removed: mail programs must not run or load it`
  return removed.map((name) => ({ Field: 'body', Message: said(name) }))
}

/** The objects whose records the trigger is about; any, where it is not known. */
function objectsOf(trigger: Trigger | undefined, definitions: Definitions): readonly ObjectDefinition[] {
  const named = definitions.get(trigger?.object ?? '')
  return named ? [named] : [...definitions.values()]
}

/** Why no object has what the tag names; undefined when one has. */
function faultOf(
  path: string,
  objects: readonly ObjectDefinition[],
  definitions: Definitions,
): string | undefined {
  const found = objects.map((one) => resolveTag(path, one, definitions))
  if (found.some((one) => 'field' in one)) return undefined
  const first = found[0]
  if (objects.length === 1 && first && 'fault' in first) return first.fault
  const fields = objects.flatMap((one) => one.fields.map(({ name }) => name))
  return `no object has such a field${meantName(path, [...new Set(fields)])}`
}
