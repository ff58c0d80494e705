/** What the codes mean by which a broker refuses or ends something. */

const WORDS: Readonly<Record<number, string>> = {
  0x81: 'it cannot read what was sent',
  0x82: 'what was sent is against the protocol',
  0x84: 'it does not speak MQTT 5',
  0x85: 'it does not take the name of the client',
  0x86: 'it does not take the user name or the password',
  0x87: 'it does not allow this',
  0x88: 'it is not available',
  0x89: 'it is busy',
  0x8a: 'it has banned the client',
  0x8b: 'it is shutting down',
  0x8d: 'it has heard nothing for too long',
  0x8f: 'a filter of topics is not valid',
  0x93: 'too many messages were under way',
  0x95: 'a packet is too large for it',
  0x97: 'a quota is used up',
  0x9d: 'it has moved',
  0x9e: 'wildcards are not supported',
  0x9f: 'connections come too fast',
}

export const TAKEN_OVER = 0x8e
/** Codes from here on are refusals. */
export const REFUSED = 0x80

export const wordsFor = (code: number): string => WORDS[code] ?? `its reason is 0x${code.toString(16)}`
