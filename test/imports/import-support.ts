/** Imports as their clients use them. */
import { expect } from 'chai'
import type { Answer, Client, Data } from '../support/service.ts'

export const CSV = { 'Content-Type': 'text/csv' }

/** The import once it is not under way any more. `looks`: how often it may change on the way. */
export async function settled(client: Client, key: string, looks = 200): Promise<Data> {
  for (let tries = 0; tries < looks; tries++) {
    const answer = await client.get(`imports/${key}?wait=10`)
    if (answer.status !== 200) throw new Error(answer.text)
    const { data } = answer
    const state = data['State'] as string
    const isCommitted = (data['Options'] as { Commit: boolean }).Commit && state === 'Checked'
    if (!['Reading', 'Running', 'Undoing'].includes(state) && !isCommitted) return data
  }
  throw new Error(`${key} does not come to an end`)
}

/** Sends the file and waits for what comes of it. */
export async function imported(
  client: Client,
  path: string,
  file: string | Uint8Array,
  headers: Record<string, string> = CSV,
): Promise<Data> {
  const answer = await client.post(path, file, headers)
  expect(answer.status, answer.text).to.equal(202)
  return settled(client, answer.data.Id)
}

export async function then(client: Client, whole: Data, action: string, body?: unknown): Promise<Data> {
  const answer: Answer = await client.post(`imports/${whole.Id}/${action}`, body)
  expect(answer.status, answer.text).to.equal(202)
  return settled(client, answer.data.Id)
}

export const countsIn = (whole: Data) => whole['Counts'] as Record<string, number>
export const checkIn = (whole: Data) => whole['Check'] as Record<string, number>
