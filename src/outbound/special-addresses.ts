import { BlockList, isIP, isIPv4 } from 'node:net'

/** IANA's registry of special IPv4 ranges, and multicast: none of them is an endpoint on the internet. */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // behind a carrier's NAT; a cloud's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's platform address: outside every special range, and not public
  '169.254.0.0/16', // link-local; the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]
/** The same within 2000::/3, outside of which no IPv6 address is public. */
const SPECIAL_V6 = [
  '2001::/23', // protocol assignments, Teredo and ORCHID among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: holds any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

const special = blockList(SPECIAL_V4, SPECIAL_V6)
const globalUnicast = blockList([], ['2000::/3'])
const loopback = blockList(['127.0.0.0/8'], ['::1/128'])
/** IPv6 addresses that stand for an IPv4 address: mapped, and translated by a NAT64. */
const standsForV4 = blockList([], ['::ffff:0:0/96', '64:ff9b::/96'])

/** Whether an address, in any notation that the system gives, is one on the public internet. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  // With a zone it is of this link.
  if (isIP(address) !== 6 || address.includes('%')) return false
  if (isV6In(standsForV4, address)) return isPublic(lastFourBytes(address))
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

/** Whether it is this machine. */
export function isLoopback(address: string): boolean {
  if (isIPv4(address)) return loopback.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  if (isV6In(standsForV4, address)) return isLoopback(lastFourBytes(address))
  return loopback.check(address, 'ipv6')
}

const isV6In = (list: BlockList, address: string): boolean => list.check(address, 'ipv6')

/** The IPv4 address at the end of an IPv6 address. */
function lastFourBytes(address: string): string {
  // The URL parser writes every notation in one way: groups of hexadecimal digits.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':')
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

function blockList(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = new BlockList()
  for (const [ranges, family] of [
    [v4, 'ipv4'],
    [v6, 'ipv6'],
  ] as const) {
    for (const range of ranges) {
      const [network = '', bits] = range.split('/')
      list.addSubnet(network, Number(bits), family)
    }
  }
  return list
}
