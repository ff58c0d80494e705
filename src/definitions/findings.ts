/** The faults of all files of definitions, as they are found. */
import { DefinitionError, type DefinitionFault } from './definition-error.ts'

export class Findings {
  readonly #faults: DefinitionFault[] = []
  readonly #doubted = new Set<string>()

  add(fault: DefinitionFault): void {
    this.#faults.push(fault)
  }

  get faults(): readonly DefinitionFault[] {
    return this.#faults
  }

  /** A field or object that is there but could not be read: what is said of it elsewhere may well be right. */
  doubt(name: string): void {
    this.#doubted.add(name)
  }

  /** Whether it speaks of such a one; what follows a semicolon only advises. */
  isDoubted(text: string): boolean {
    return (text.split(';')[0]!.match(/[A-Za-z0-9]+/g) ?? []).some((word) => this.#doubted.has(word))
  }

  /** @throws DefinitionError with every fault of every file, in the order of their lines */
  throwIfAny(): void {
    if (this.#faults.length === 0) return
    const files = [...new Set(this.#faults.map(({ file }) => file))]
    const inFile = (file: string) => this.#faults.filter((fault) => fault.file === file)
    throw new DefinitionError(
      files.flatMap((file) => inFile(file).sort((a, b) => (a.line ?? 0) - (b.line ?? 0))),
    )
  }
}
