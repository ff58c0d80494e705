/**
 * What the engine says of the read models, passed on to another thread. Before a write is answered its message has been sent
 * and counted; so a thread that takes in as many messages as are counted, before it reads, knows of every such write.
 */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import type { EngineLink } from '../../adapters/sqlite/events/engine-link.ts'
import type { FromEngine } from '../../adapters/sqlite/events/engine-messages.ts'
import type { Board } from './board.ts'

export interface EngineChanges {
  /** As the read models need it: they write nothing. */
  readonly engine: EngineLink
  /** Takes in all messages that are counted by now. */
  catchUp(): void
}

export interface EngineChangesOptions {
  readonly port: MessagePort
  readonly board: Board
  /** How many messages were counted when the port was made. */
  readonly from: number
  readonly readModelPath: string
}

export function engineChanges({ port, board, from, readModelPath }: EngineChangesOptions): EngineChanges {
  const listeners: ((message: FromEngine) => void)[] = []
  let taken = from
  const take = (message: FromEngine) => {
    taken = (taken + 1) | 0
    listeners.forEach((listener) => listener(message))
  }
  port.on('message', take)
  return {
    engine: {
      head: 0,
      readModelPath,
      send: () => {}, // the main thread says for all when a file is let go of
      listen: (listener) => void listeners.push(listener),
      close: async () => {},
    },
    catchUp() {
      while (taken !== board.get('changes')) {
        const received = receiveMessageOnPort(port)
        if (!received) return
        take(received.message as FromEngine)
      }
    },
  }
}

/** Passes on to all ports what changes the read models. */
export function passOn(engine: EngineLink, board: Board, ports: ReadonlySet<MessagePort>): void {
  engine.listen((message) => {
    if (message.kind !== 'projected' && message.kind !== 'switched') return
    for (const port of ports) port.postMessage(message)
    board.add('changes')
  })
}
