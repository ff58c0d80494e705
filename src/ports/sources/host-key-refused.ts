/** A server of files has shown another key than the one that is trusted, or one that nobody has confirmed yet. */
import { Unavailable } from '../../domain/errors.ts'

export class HostKeyRefused extends Unavailable {
  /** As OpenSSH shows it: SHA256 and base64. */
  readonly presented: string
  constructor(presented: string, trusted: string | undefined) {
    super(
      trusted === undefined
        ? `the server's key ${presented} is not confirmed: compare it with what its operator says, and put it into Source.HostKey`
        : `the server has shown the key ${presented}, and ${trusted} is trusted`,
    )
    this.presented = presented
  }
}
