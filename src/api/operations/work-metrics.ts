/** Numbers for Prometheus on what was refused, what waits for its turn, and what an operator has to look after. */
import { Counter, Gauge, type Registry } from 'prom-client'

export interface WorkFigures {
  readonly exports: () => { readonly running: number; readonly waiting: number }
  /** Requests (and batches of rows) that a rate limit refused, by limit. */
  readonly refused: () => Readonly<Record<string, number>>
  readonly disabledWebhooks: () => number
  /** Integrations that this process has last seen failing. */
  readonly failingIntegrations: () => number
  /** When the data folder was last backed up, in seconds since 1970; undefined: not known. */
  readonly lastBackup: () => number | undefined
}

export function measureWork(
  registry: Registry,
  { exports, refused, disabledWebhooks, failingIntegrations, lastBackup }: WorkFigures,
): void {
  new Gauge({
    name: 'daybook_exports',
    help: 'Exports under way (state="running"), and those that wait for their turn (state="waiting").',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(exports())) this.set({ state }, count)
    },
  })
  new Counter({
    name: 'daybook_rate_limited_total',
    help: 'Refusals by a rate limit: of a client (a user, token or address), of a company, of the rows of a company.',
    labelNames: ['limit'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [limit, count] of Object.entries(refused())) this.inc({ limit }, count)
    },
  })
  new Counter({
    name: 'daybook_webhooks_disabled_total',
    help: 'Webhooks that this process has disabled, because nothing arrived for too long.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(disabledWebhooks())
    },
  })
  new Gauge({
    name: 'daybook_integrations_failing',
    help: 'Integrations that this process has last seen failing: somebody should look at them.',
    registers: [registry],
    collect() {
      this.set(failingIntegrations())
    },
  })
  new Gauge({
    name: 'daybook_last_backup_timestamp_seconds',
    help: 'When `npm run backup` last copied the data folder; absent: not since it was made.',
    registers: [registry],
    collect() {
      const at = lastBackup()
      if (at === undefined) this.remove()
      else this.set(at)
    },
  })
}
