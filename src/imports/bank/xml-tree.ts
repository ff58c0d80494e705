/** A small piece of an XML document as a tree: one entry of a statement, never the whole of it. */
import type { Attributes } from '../formats/xml.ts'

export interface XmlNode {
  readonly name: string
  readonly attributes: Attributes
  readonly children: XmlNode[]
  text: string
}

export const xmlNode = (name: string, attributes: Attributes = {}): XmlNode => ({
  name,
  attributes,
  children: [],
  text: '',
})

/** The first node at the path; undefined when a step is not there. */
export function nodeAt(node: XmlNode | undefined, ...path: readonly string[]): XmlNode | undefined {
  let at = node
  for (const name of path) at = at?.children.find((child) => child.name === name)
  return at
}

export const nodesAt = (node: XmlNode | undefined, name: string): readonly XmlNode[] =>
  node?.children.filter((child) => child.name === name) ?? []

/** The text of the first node at one of the paths that has any. */
export function textAt(
  node: XmlNode | undefined,
  ...paths: readonly (readonly string[])[]
): string | undefined {
  for (const path of paths) {
    const text = nodeAt(node, ...path)?.text.trim()
    if (text) return text
  }
  return undefined
}
