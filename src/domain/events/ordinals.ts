/**
 * Which events have a place in the order of their company: 1, 2, 3 … without a gap. The audit and the warehouse show that
 * place, and rebuilds repeat it: so the rule is frozen (docs/decisions/positions-for-clients.md). It knows the names of streams
 * and nothing of definitions, versions or engines.
 */
import { objectOfKey } from '../records/key.ts'

/** Whether events of the stream count: its name is a Key. The service's own bookkeeping has other names. */
export const hasOrdinals = (stream: string): boolean => objectOfKey(stream) !== undefined
