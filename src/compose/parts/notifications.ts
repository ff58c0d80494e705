/**
 * The notification service put together: triggers that write messages, the sender that the outbox asks, and the app on its own
 * port. Which of them runs depends on the roles of the process: `scheduler` writes messages, `webhooks` sends them,
 * `notifications` listens.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Express, Router } from 'express'
import { mailFolder } from '../../adapters/mail/folder.ts'
import { smtpMailer } from '../../adapters/mail/smtp.ts'
import type { Area } from '../../api/area.ts'
import { createNotificationApp, type NotificationAppOptions } from '../../api/notifications/app.ts'
import { notificationsArea } from '../../api/notifications/area.ts'
import { notificationDocs, type NotificationDocs } from '../../api/notifications/docs.ts'
import { bouncePlaceRoutes, bounceRoutes, type BounceRoutes } from '../../api/notifications/bounces.ts'
import { layoutRoutes } from '../../api/notifications/layouts.ts'
import { messageRoutes } from '../../api/notifications/messages.ts'
import { previewRoutes } from '../../api/notifications/preview.ts'
import { suppressionRoutes } from '../../api/notifications/suppressions.ts'
import { templateRoutes } from '../../api/notifications/templates.ts'
import { unsubscribeRoutes } from '../../api/notifications/unsubscribe.ts'
import { rateLimits } from '../../api/http/limits/rate-limits.ts'
import type { PositionTokens } from '../../api/http/position-tokens.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { bounceNoter, type NoteBounceOptions } from '../../notifications/bounces/note-bounce.ts'
import { messageEvents } from '../../notifications/sending/message-events.ts'
import { followTriggers, triggerProjection } from '../../notifications/sending/follow-events.ts'
import { reminders } from '../../notifications/sending/reminders.ts'
import { testSender } from '../../notifications/sending/send-test.ts'
import { forgetMails } from '../../notifications/sending/kept-mails.ts'
import { mailSender } from '../../notifications/sending/send-mail.ts'
import { mailPace } from '../../notifications/sending/mail-pace.ts'
import { signedParts } from '../../notifications/sending/signed-parts.ts'
import { suppressions } from '../../notifications/sending/suppressions.ts'
import { unsubscribeLinks, type UnsubscribeLinks } from '../../notifications/sending/unsubscribe-links.ts'
import type { WriteMailOptions } from '../../notifications/sending/write-mail.ts'
import { messageWriter, type WriteMessagesOptions } from '../../notifications/sending/write-messages.ts'
import type { Triggers } from '../../notifications/triggers.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Stores } from '../stores.ts'
import type { Follower } from '../../timers/start-timers.ts'
import type { WriteSide } from './write-side.ts'

export interface NotificationsOptions {
  readonly config: Config
  /** Of the objects that have records. */
  readonly definitions: Definitions
  readonly all: Definitions
  readonly triggers: Triggers
  readonly writeSide: WriteSide
  readonly stores: Pick<Stores, 'files'>
  readonly positions: PositionTokens
  readonly sealer: Sealer
  readonly clock: Clock
}

export type Notifications = ReturnType<typeof openNotifications>

/** Of one person. */
const TESTS_A_MINUTE = 6

export function openNotifications(options: NotificationsOptions) {
  const { config, definitions, all, triggers, writeSide, stores, positions, sealer, clock } = options
  const { events, readModels, states, write, identifiers, idempotency } = writeSide
  const messages = messageEvents({ events, states, clock, newCommand: identifiers.newCommand })
  const suppressed = suppressions(messages)
  const mailer = mailerOf(config)
  // Keys are known once the service has found them, which is after this.
  const links = () => unsubscribeLinks([...sealer.deriveAll('unsubscribe').values()])
  const bounces = bouncesOf(config, sealer, { messages, suppressions: suppressed, readModels })
  const catchUpDays = config.MAIL_CATCH_UP_DAYS

  const sending = {
    files: stores.files,
    mailer,
    suppressions: suppressed,
    clock,
    from: config.MAIL_FROM,
    replyTo: config.MAIL_REPLY_TO,
    allow: config.MAIL_ALLOW,
  }
  const sendMail = mailSender({
    ...sending,
    definitions,
    events,
    messages,
    catchUpDays,
    waitFor: mailPace({ perHour: config.MAIL_RATE_PER_HOUR, elapsed: clock.elapsed }),
    unsubscribeUrl: unsubscribing(config, links),
  })

  // Known to this process alone, for both places where the routes stand.
  const tests = { perMinute: TESTS_A_MINUTE, burst: TESTS_A_MINUTE, clock, onTrouble: () => {} }
  const testing = { sendTest: testSender(sending), testLimits: rateLimits(tests) }

  const routers = (): readonly Router[] => {
    const readYourWritesMs = config.READ_YOUR_WRITES_MS
    const records = { definitions: all, events, readModels, write, idempotency, readYourWritesMs, positions }
    return [
      templateRoutes({ ...records, states, definitions, triggers }),
      layoutRoutes({ ...records, states }),
      previewRoutes({ definitions, states, idempotency, ...testing }),
      messageRoutes({ ...records, withRecords: definitions, triggers, messages }),
      suppressionRoutes({ ...records, messages, suppressions: suppressed }),
      bouncePlaceRoutes(bounces),
    ]
  }

  return {
    sendMail,
    /** What a process with the role `scheduler` follows and watches. */
    scheduled(accessOf: WriteMessagesOptions['accessOf']) {
      const writing = messageWriter({ definitions, events, readModels, messages, accessOf })
      const following = { triggers, definitions, events, clock, write: writing, catchUpDays }
      return {
        rules: [...reminders(following), forgetMails({ ...sending, keepDays: config.MAIL_KEEP_DAYS })],
        followers: (timers: Timers): readonly Follower[] => [
          {
            store: followTriggers({ ...following, timers }),
            projections: [triggerProjection({ ...following, timers })],
          },
        ],
      }
    },
    /** The same routes below `/api/v1`. */
    area: (): Area => notificationsArea(routers()),
    app: (http: Omit<NotificationAppOptions, 'openRouters' | 'routers'> & NotificationDocs): Express =>
      createNotificationApp({
        ...http,
        openRouters: [
          unsubscribeRoutes({ links, suppressions: suppressed }),
          bounceRoutes(bounces),
          notificationDocs(http),
        ],
        routers: routers(),
      }),
    close: () => mailer.close(),
  }
}

const bouncesOf = (config: Config, sealer: Sealer, noting: NoteBounceOptions): BounceRoutes => ({
  places: () => signedParts([...sealer.deriveAll('bounces').values()]),
  note: bounceNoter(noting),
  url: config.NOTIFICATION_URL,
})

const unsubscribing =
  ({ NOTIFICATION_URL: url }: Config, links: () => UnsubscribeLinks): WriteMailOptions['unsubscribeUrl'] =>
  (company, address, category) =>
    url === undefined ? undefined : `${url}/u/${links().sign({ company, address, category })}`

function mailerOf({ SMTP_URL, DATA_DIR, DKIM_DOMAIN, DKIM_SELECTOR, DKIM_KEY }: Config) {
  if (SMTP_URL === undefined) return mailFolder(join(DATA_DIR, 'mail'))
  const dkim =
    DKIM_DOMAIN !== undefined && DKIM_SELECTOR !== undefined && DKIM_KEY !== undefined
      ? { domain: DKIM_DOMAIN, selector: DKIM_SELECTOR, key: readFileSync(DKIM_KEY, 'utf8') }
      : undefined
  return smtpMailer({ url: SMTP_URL, dkim })
}
