/** How the keys of secrets are written: in `SECRETS_KEYS`, and in the file that stands in for it. */

/**
 * Keys in base64, with commas or white space between them.
 * @throws Error for text that is not base64 or has fewer than 32 bytes
 */
export function secretKeys(list: string): readonly Uint8Array[] {
  return list.split(/\s*,\s*|\s+/).map((one) => {
    const key = Buffer.from(one, 'base64')
    if (key.length < 32 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(one))
      throw new Error('each key must be base64 of 32 bytes or more')
    return key
  })
}
