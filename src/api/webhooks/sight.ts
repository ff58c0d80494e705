/**
 * Refuses those whose roles show them less than everything: a webhook sends whole records, of every row, with the names of
 * what they look up, and so does the log of its deliveries (docs/open-facts.md 26).
 */
import type { RequestHandler, Response } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import { Invalid } from '../../domain/errors.ts'
import { isShown } from '../../domain/filter/as-seen.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { pathsOf } from '../../domain/filter/paths.ts'
import { rowsOf } from '../../domain/grant.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { viewOf, type View } from '../../rights/view.ts'
import type { DeliveryLog, DeliveryState } from '../../ports/delivery-log.ts'
import { eventNames, objectsOf } from '../../webhooks/event-names.ts'
import { WEBHOOK } from '../../webhooks/objects.ts'
import { MAX_EVENTS } from './bodies.ts'
import { granted } from '../policy.ts'
import { Refusal } from '../http/problems.ts'
import { principalOf } from '../http/request-context.ts'

export interface WebhookSight {
  /** @throws Refusal (403) unless what was sent of the event, as it was then, may be read */
  checkEvent(response: Response, event: string): void
  /** @throws Refusal (403) unless all that the webhook has deliveries of may be read; `state`: only those in it count */
  checkDeliveries(response: Response, key: string, state?: DeliveryState): Promise<void>
  /**
   * Passes requests that are about a webhook, or make or change one, all of whose events may be read; and to another
   * address, all that is still to be sent.
   */
  readonly whole: RequestHandler
}

export interface WebhookSightOptions {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  readonly load: (company: string, key: string) => Promise<RecordState>
  readonly deliveries: Pick<DeliveryLog, 'list'>
}

export function webhookSight({ definitions, load, deliveries }: WebhookSightOptions): WebhookSight {
  const names = eventNames(definitions)
  const objectsIn = (events: readonly string[]) =>
    new Set(events.flatMap((pattern) => [...(objectsOf(pattern, names) ?? [])]))
  const viewFor = (response: Response) => viewOf(principalOf(response).access, definitions)

  const checkWhole = (response: Response, view: View, object: string) => {
    granted(response, object, 'read')
    if (view.isWhole(object)) return
    const message = `you may read ${object}, or the names that it shows of others, only in part, and a webhook sends all of it`
    throw forbidden(message)
  }

  const check = (response: Response, events: readonly string[]) => {
    const view = viewFor(response)
    for (const object of objectsIn(events)) checkWhole(response, view, object)
  }

  const checkEvent: WebhookSight['checkEvent'] = (response, event) => {
    const known = names.some(({ name }) => name === event)
    // Of an object that is defined no more: for those only who see everything.
    check(response, [known ? event : '*'])
  }

  const checkDeliveries: WebhookSight['checkDeliveries'] = async (response, key, state) => {
    const { company } = principalOf(response)
    const view = viewFor(response)
    for (const { name: event, object } of names) {
      if (object === undefined || view.isWhole(object)) continue
      const { total } = await deliveries.list(company, key, { event, state, offset: 0, limit: 1 })
      if (total > 0) checkWhole(response, view, object)
    }
  }

  /** Which events are sent reveals what the filter finds in the records that its paths lead to. */
  const checkFilter = (response: Response, events: readonly string[], text: string) => {
    const view = viewFor(response)
    const rowsShowing = (object: string, field: string) => rowsOf(view.grant(object), field)
    for (const object of objectsIn(events))
      for (const path of pathsIn(text, object))
        if (!isShown(path, rowsShowing)) throw forbidden(`${path.text} is shown to you of some records only`)
  }

  const pathsIn = (text: string, object: string) => {
    try {
      return pathsOf(parseFilter(text, definitions.get(object)!, definitions))
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      return [] // what is wrong with it is said where it is read
    }
  }

  return {
    checkEvent,
    checkDeliveries,
    async whole(request, response, next) {
      const sent = (request.body ?? {}) as { readonly [name: string]: unknown }
      const key = request.params['key'] as string | undefined
      const state =
        key !== undefined && isKeyOf(WEBHOOK, key)
          ? await load(principalOf(response).company, key)
          : undefined
      const stored = textsIn(state?.fields['Events'])
      check(response, [...stored, ...textsIn(sent['Events'])])
      const events = sent['Events'] === undefined ? stored : textsIn(sent['Events'])
      if (typeof sent['Filter'] === 'string') checkFilter(response, events, sent['Filter'])
      if (state && sent['Url'] !== undefined) await checkDeliveries(response, key!, 'pending')
      next()
    },
  }
}

/** As many as a webhook may have: more are refused where they are read, and each costs a look at every name. */
function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, MAX_EVENTS).filter((one) => typeof one === 'string') : []
}

function forbidden(message: string): Refusal {
  return new Refusal({ status: 403, code: 'FORBIDDEN', message })
}
