/** Numbers that all threads see in the moment they change, without a message. */

const SLOTS = ['identity', 'changes', 'open'] as const

/**
 * `identity`: changes of what decides who may do what. `changes`: messages of the engine that were passed on. `open`: 1 while
 * readers answer requests.
 */
export type Slot = (typeof SLOTS)[number]

export interface Board {
  /** For another thread's `board`. */
  readonly memory: SharedArrayBuffer
  get(slot: Slot): number
  set(slot: Slot, value: number): void
  add(slot: Slot): void
}

export function board(memory = new SharedArrayBuffer(4 * SLOTS.length)): Board {
  const numbers = new Int32Array(memory)
  const at = (slot: Slot) => SLOTS.indexOf(slot)
  return {
    memory,
    get: (slot) => Atomics.load(numbers, at(slot)),
    set: (slot, value) => void Atomics.store(numbers, at(slot), value),
    add: (slot) => void Atomics.add(numbers, at(slot), 1),
  }
}
