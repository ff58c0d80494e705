/** A parameter that takes one of a few words. */
import { invalid } from '../domain/errors.ts'
import { choiceWords } from './shape-words.ts'

/** The choice that the text is, whatever its case. @throws Invalid naming the choices, and the one that was probably meant */
export function choiceOf<Choice extends string>(
  parameter: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
  if (found === undefined) throw invalid(parameter, choiceWords(text, choices))
  return found
}
