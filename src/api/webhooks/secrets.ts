/** Secrets of webhooks: taken or made, sealed for the store, shown once, and followed by another. */
import { createHmac } from 'node:crypto'
import type { Caller } from '../../commands/command.ts'
import type { Fields } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { Clock } from '../../ports/clock.ts'
import { readBody } from '../../shapes/body.ts'
import { generateSecret, secretOwner } from '../../webhooks/signing.ts'
import { newSecret } from './bodies.ts'
import { SHORT_SECRET } from './subscription.ts'

export interface WebhookSecrets {
  /** One that nobody can guess; for the same request the same. */
  generate(caller: Caller): string
  seal(company: string, secret: string): string
  /** The secret of a body that may hold nothing else; undefined when there is none. @throws Invalid */
  given(body: unknown): string | undefined
  /** The changes that put a new secret before the one that there is. */
  rotated(caller: Caller, state: RecordState, secret: string): Fields
  /** What an answer says about the secret: the secret itself, if it was generated; that it is short, if it is. */
  shown(given: string | undefined, secret: string): Fields
}

/** How long a secret stays valid beside its successor (docs/open-facts.md 19). */
const OVERLAP_MS = 24 * 3_600_000

export function webhookSecrets({ sealer, clock }: { sealer: Sealer; clock: Clock }): WebhookSecrets {
  const seal = (company: string, secret: string) => sealer.seal(secret, secretOwner(company))
  return {
    generate: ({ command }) =>
      generateSecret(() => createHmac('sha256', sealer.derive('webhook secrets')).update(command).digest()),
    seal,
    given: (body = {}) => readBody(newSecret, body, 'The secret is not valid.').Secret,
    rotated: ({ company, repeatedFrom }, { fields }, secret) => ({
      Secret: seal(company, secret),
      PreviousSecret: fields['Secret'] ?? null,
      PreviousSecretUntil: new Date((repeatedFrom ?? clock.now()) + OVERLAP_MS).toISOString(),
    }),
    shown: (given, secret) => ({
      ...(given === undefined && { Secret: secret }),
      ...([...secret].length < SHORT_SECRET && {
        Warning: `the secret has fewer than ${SHORT_SECRET} characters and might be guessed`,
      }),
    }),
  }
}
