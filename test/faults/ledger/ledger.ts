/**
 * The ledger: what clients asked for and what they were told, kept outside the service. It is the judge after a fault.
 *
 * *Acknowledged* is a 2xx that was read to its end. A request without an answer, or with a 5xx, may have been done or
 * not, but wholly. One refused with a 4xx did nothing. Each request carries its id as `Daybook-Reason`, which the event
 * keeps: so every event is traced to the request that asked for it.
 */
import { writeFileSync } from 'node:fs'
import type { HttpAnswer, HttpRequest } from './http-client.ts'

export type Value = null | boolean | number | string | { readonly [name: string]: Value }
export type Values = { readonly [name: string]: Value }

/** What an action is to do, as docs/workflow.md has it. */
export const ACTIONS = {
  submit: { done: 'submitted', from: ['Draft'], to: 'PendingApproval' },
  approve: { done: 'approved', from: ['PendingApproval'], to: 'Active' },
  reject: { done: 'rejected', from: ['PendingApproval'], to: 'Rejected' },
  recall: { done: 'recalled', from: ['PendingApproval'], to: 'Draft' },
  revise: { done: 'revised', from: ['Rejected'], to: 'Draft' },
  terminate: { done: 'terminated', from: ['Active'], to: 'Terminated' },
  renew: { done: 'renewed', from: ['Active', 'Expired'], to: 'Active' },
} as const
export type Action = keyof typeof ACTIONS

/** What a request is to bring about. */
export type Intent =
  | { readonly kind: 'create'; readonly object: string; readonly fields: Values }
  | { readonly kind: 'patch' | 'put'; readonly key: string; readonly fields: Values }
  | { readonly kind: 'delete' | 'restore'; readonly key: string }
  /** A workflow action of a contract. `token`: of someone else than all others, as nobody approves what they submitted. */
  | { readonly kind: 'act'; readonly key: string; readonly action: Action; readonly token?: string }
  /** `fields` of each row hold its own mark in `Notes`. */
  | { readonly kind: 'batch'; readonly object: string; readonly rows: readonly Values[] }
  | {
      readonly kind: 'upsert'
      readonly object: string
      readonly field: string
      readonly value: string
      readonly fields: Values
    }

export interface Entry {
  readonly id: string
  readonly intent: Intent
  readonly idempotencyKey?: string
  /** Sent as `If-Match`. */
  readonly expectedVersion?: number
  /** When it was first sent, in ms of one clock that all entries share. */
  readonly sentAt: number
  /** The last that the client was told. */
  answer?: Answered
}

export interface Answered {
  readonly at: number
  readonly status: number
  /** By `ETag`. */
  readonly version?: number
  /** By `Daybook-Position`; missing when nothing had to be stored. */
  readonly position?: number
  /** The write was acknowledged before reads showed it. */
  readonly readLag: boolean
  /** `Data` of the answer; of a refusal its `Error`. */
  readonly data: unknown
}

export interface RowResult {
  readonly Index: number
  readonly Status: number
  readonly Id?: string
}

export interface Ledger {
  readonly entries: readonly Entry[]
  /** Notes a request that is about to be sent. `intentOf` gets the id, to leave it as a mark in what it writes. */
  sending(
    intentOf: (id: string) => Intent,
    options?: { readonly idempotencyKey?: string; readonly expectedVersion?: number },
  ): Entry
  /** Notes what came of it; undefined: no answer. */
  received(entry: Entry, answer: HttpAnswer | undefined): void
}

/** @param positionOf reads a `Daybook-Position`; such as `openedPositions` of the data folder */
export function openLedger(positionOf: (token: string) => number): Ledger {
  const entries: Entry[] = []
  return {
    entries,
    sending(intentOf, options = {}) {
      const id = `r${entries.length + 1}`
      const entry: Entry = { id, intent: intentOf(id), ...options, sentAt: performance.now() }
      entries.push(entry)
      return entry
    },
    received(entry, answer) {
      if (answer) entry.answer = answeredOf(answer, positionOf)
    },
  }
}

function answeredOf({ status, headers, text }: HttpAnswer, positionOf: (token: string) => number): Answered {
  const body = JSON.parse(text) as { Success: boolean; Data?: unknown; Error?: unknown }
  const version = /^"(\d+)"$/.exec(headers.etag ?? '')?.[1]
  const position = headers['daybook-position'] as string | undefined
  return {
    at: performance.now(),
    status,
    ...(version !== undefined && { version: Number(version) }),
    ...(position !== undefined && { position: positionOf(position) }),
    readLag: headers['daybook-read-lag'] === 'true',
    data: body.Success ? body.Data : body.Error,
  }
}

export function isAcknowledged({ answer }: Entry): boolean {
  return answer !== undefined && answer.status < 300
}

/** Whether nobody can know, from the answers alone, if it was done. */
export function isOpen({ answer }: Entry): boolean {
  return answer === undefined || answer.status >= 500
}

/**
 * The ledger of a store that ends at this position: what was stored after it, or was answered without being stored, was
 * never asked for; a batch that reaches beyond it may be there in part.
 */
export function ledgerUpTo(entries: readonly Entry[], head: number): Entry[] {
  return entries.flatMap((entry) => {
    if (!isAcknowledged(entry) || (entry.answer?.position ?? Infinity) <= head) return [entry]
    if (entry.intent.kind !== 'batch') return []
    const open = { ...entry }
    delete open.answer
    return [open]
  })
}

/** The request that asks for it. */
export function requestOf({ id, intent, idempotencyKey, expectedVersion }: Entry): HttpRequest {
  const headers = {
    'Daybook-Reason': id,
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(expectedVersion !== undefined && { 'If-Match': `"${expectedVersion}"` }),
    ...(intent.kind === 'act' && intent.token !== undefined && { Authorization: `Bearer ${intent.token}` }),
  }
  const request = (method: string, path: string, body?: unknown): HttpRequest => ({
    method,
    path: `/api/v1/${path}`,
    headers,
    ...(body !== undefined && { body }),
  })
  switch (intent.kind) {
    case 'create':
      return request('POST', intent.object, intent.fields)
    case 'patch':
    case 'put':
      return request(intent.kind.toUpperCase(), pathOf(intent.key), intent.fields)
    case 'delete':
      return request('DELETE', pathOf(intent.key))
    case 'restore':
      return request('POST', `${pathOf(intent.key)}/restore`)
    case 'act':
      return request('POST', `${pathOf(intent.key)}/workflow/${intent.action}`)
    case 'batch':
      return request('POST', `${intent.object}/batch`, { Records: intent.rows, AllowPastDates: true })
    case 'upsert':
      return request('PUT', `${intent.object}/by/${intent.field}/${intent.value}`, intent.fields)
  }
}

/** `contract/contract-…` */
export function pathOf(key: string): string {
  return `${objectOf(key)}/${key}`
}

export function objectOf(key: string): string {
  return key.slice(0, key.indexOf('-'))
}

/** Writes the ledger down, one entry a line, for whoever looks into a fault. */
export function saveLedger({ entries }: Ledger, path: string): void {
  writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}
