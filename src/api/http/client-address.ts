import { isIP, isIPv4 } from 'node:net'

/**
 * Whom the burst limit counts as one: an IPv4 address, or the /64 of an IPv6 address, since whoever
 * has one address of a /64 has all of them.
 * @param claimed as the proxies in front of us tell it, perhaps with a port
 * @param connected the other end of the connection, where `claimed` is no address at all
 */
export function clientAddress(claimed: string, connected: string | undefined): string {
  return addressOf(claimed) ?? addressOf(connected ?? '') ?? 'unknown'
}

const WITH_PORT = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/
const V4_IN_V6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

function addressOf(text: string): string | undefined {
  // By far the most of them.
  if (isIPv4(text)) return text
  const bare = WITH_PORT.exec(text)
  const address = bare?.[1] ?? bare?.[2] ?? text
  const mapped = V4_IN_V6.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? address : network64(address)
}

/** The first four of eight groups, in full. */
function network64(address: string): string {
  const [withoutZone = ''] = address.split('%')
  const [head = '', tail] = withoutZone.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  // The last group may be an IPv4 address, which stands for two.
  const after = rest.length + (rest.at(-1)?.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : 8 - groups.length - after
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...rest]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
