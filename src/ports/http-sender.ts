/**
 * What webhooks and integrations ask of HTTP: one request to an address that was checked, bounded in every way. Follows no
 * redirect, uses no proxy, whatever the environment says.
 */

export interface Post {
  readonly url: string
  /** POST, unless it says another. */
  readonly method?: string
  /**
   * It is not sent a second time by itself, even where the connection seems to have been closed before it was used: the
   * receiver may have taken it.
   */
  readonly isSentOnce?: true
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For all of it: name, connection, TLS, sending, reading. */
  readonly timeoutMs: number
  /** Of the answer's body no more is read; the rest is cut off. */
  readonly maxReplyBytes: number
}

export type PostOutcome =
  /** The receiver answered, whatever it was. `body`: what was read of it. */
  | {
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /**
   * It did not: why, in a few words for people. `aborted`: because the sender was closed. `unsent`: the receiver has seen
   * nothing of it.
   */
  | { readonly error: string; readonly aborted?: true; readonly unsent?: true }

export interface HttpSender {
  /** Never rejects. */
  post(post: Post): Promise<PostOutcome>
  /** Ends what is under way, and every connection. */
  close(): void
}
