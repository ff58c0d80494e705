/**
 * An error as the log may hold it: what it is, what it says and where it came from. Not what drivers hang on theirs, such as
 * the documents of a write that failed: those are about people.
 */
import { stdSerializers } from 'pino'

export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // Causes are part of message and stack.
  const { type, message, stack } = stdSerializers.err(error)
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: unknown }
  return {
    type,
    message,
    stack,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(Array.isArray(errors) && { errors: errors.map(loggedError) }),
  }
}
