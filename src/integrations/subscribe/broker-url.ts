/** Addresses of brokers, judged as those of web servers are: `mqtts` as `https`, `mqtt` as `http`. */
import { checkUrl, type AddressRules, type CheckedUrl, type UrlFault } from '../../webhooks/addresses.ts'

const BROKER = /^mqtt(?=s?:\/\/)/i

/** The address as that of a web server; else what is wrong with it. */
export function checkBrokerUrl(text: string, rules: AddressRules): CheckedUrl | UrlFault {
  if (!BROKER.test(text)) return 'must be an mqtts URL, such as mqtts://broker.example.com:8883'
  const checked = checkUrl(text.replace(BROKER, 'http'), rules)
  if (typeof checked === 'string') return checked.replaceAll('https', 'mqtts')
  const { pathname, search } = checked.url
  return pathname === '/' && search === '' ? checked : 'must end with the host and the port'
}

/** Whose it is: credentials stay with it. */
export const originOf = (text: string): string => new URL(text.replace(BROKER, 'http')).origin
