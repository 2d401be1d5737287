import { bareHost } from './bare-host.ts'

const IPV4 = /^127(?:\.\d{1,3}){3}$/

/** Whether a host name or address can only be this machine. `[::1]` and `::1` are the same. */
export function isLoopback(host: string): boolean {
  const bare = bareHost(host).toLowerCase()
  return bare === 'localhost' || bare === '::1' || IPV4.test(bare)
}
