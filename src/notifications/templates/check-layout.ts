/** A layout as it was uploaded: it says once, in its text, where the body of a template comes to stand. */
import { invalid } from '../../domain/errors.ts'
import { cleanHtml } from './clean-html.ts'
import { tagsInText } from './contexts.ts'
import { removedWarnings, type Warning } from './check-template.ts'
import { tagsIn, unclosedTags } from './tags.ts'

const CONTENT = 'content'

/** @throws Invalid */
export function checkLayout(body: string): readonly Warning[] {
  const { tags, odd } = tagsIn(body)
  const other = [...tags, ...odd].find(({ path }) => path !== CONTENT)
  if (other)
    throw invalid(
      'body',
      `{{${other.path.slice(0, 60)}}} at ${other.at}: the only tag of a layout is {{content}}`,
    )
  const [unclosed] = unclosedTags(body, '{{content}}')
  if (unclosed !== undefined) throw invalid('body', unclosed)
  if (tags.length !== 1)
    throw invalid(
      'body',
      `must have {{content}} once, where the body of a template comes to stand; it has it ${tags.length} times`,
    )
  if (tagsInText(body, tags).length === 0)
    throw invalid(
      'body',
      '{{content}} must stand in text: not in an attribute, a style, a script or a comment',
    )
  return removedWarnings(cleanHtml(body))
}
