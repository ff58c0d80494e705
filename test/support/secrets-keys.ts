/** The setting SECRETS_KEYS where data is on servers: the key of its secrets is held elsewhere. */
export const SECRETS_KEYS = Buffer.alloc(32, 7).toString('base64')
