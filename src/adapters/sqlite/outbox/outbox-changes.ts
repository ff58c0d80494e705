/** What is filled into the embedded outbox: endpoints, messages, deliveries, replays. For use within a transaction. */
import type { DatabaseSync } from 'node:sqlite'
import type { Message, NewDelivery, Replay } from '../../../ports/delivery-log.ts'
import type { OutboxChange } from '../../../ports/outbox.ts'

export interface OutboxChanges {
  /** Makes the change; `moment`: ms, when what is new is due. */
  make(change: OutboxChange, moment: number): void
  addMessage(message: Message): void
  /** @throws Error when its message is not there */
  addDelivery(delivery: NewDelivery, due: number): void
  addReplay(replay: Replay): void
}

export function outboxChanges(db: DatabaseSync): OutboxChanges {
  const putEndpoint = db.prepare(
    `INSERT INTO endpoints VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT DO UPDATE SET
       json = excluded.json, ordered = excluded.ordered, active = excluded.active,
       failing_since = iif(excluded.active > active, NULL, failing_since)`,
  )
  const forget = db.prepare('DELETE FROM endpoints WHERE key = ?')
  const cancel = db.prepare(
    `UPDATE deliveries SET state = 'cancelled', ended = ? WHERE endpoint = ? AND state = 'pending'`,
  )
  const putMessage = db.prepare(
    'INSERT INTO messages (id, company, event, record, position, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const messageNumber = db.prepare('SELECT n, record, event FROM messages WHERE id = ?')
  const putDelivery = db.prepare(
    `INSERT INTO deliveries (id, endpoint, message, record, event, state, due, created_at)
       VALUES (?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING`,
  )
  const putReplay = db.prepare(
    'INSERT INTO replays (id, json, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )

  const addMessage = ({ id, company, event, record, position, body }: Message) =>
    void putMessage.run(id, company, event, record, position, body)
  const addDelivery = ({ id, endpoint, message, createdAt }: NewDelivery, due: number) => {
    const of = messageNumber.get(message) as { n: number; record: string; event: string } | undefined
    if (!of) throw new Error(`The message ${message} does not exist.`)
    putDelivery.run(id, endpoint, of.n, of.record, of.event, due, createdAt)
  }
  const addReplay = (replay: Replay) =>
    void putReplay.run(replay.id, JSON.stringify(replay), replay.after ?? 0)

  return {
    addMessage,
    addDelivery,
    addReplay,
    make(change, moment) {
      switch (change.op) {
        case 'endpoint': {
          const { key, company, active, ordered } = change.endpoint
          putEndpoint.run(key, company, Number(active), Number(ordered), JSON.stringify(change.endpoint))
          return
        }
        case 'forget':
          forget.run(change.key)
          cancel.run(moment, change.key)
          return
        case 'send':
          addMessage(change.message)
          for (const delivery of change.deliveries) addDelivery(delivery, moment)
          return
        case 'replay':
          addReplay(change.replay)
      }
    },
  }
}
