/** The store that the tests of this folder stand on keeps the promises that every event store keeps. */
import { eventStoreContract } from '../contracts/event-store.ts'
import { memoryEventStore, memoryLog } from '../support/memory-event-store.ts'

const log = memoryLog()

describe('the event store in memory', () => eventStoreContract(async () => memoryEventStore({ log })))
