/**
 * What of a server's address a log line may hold: a user, a password, and a provider's key in the path
 * stay out.
 * @param address with or without a scheme
 * @param portElse where the address names none
 */
export function hostAndPort(address: string, portElse: number): string {
  const [, host = ''] = /^(?:\w+:\/\/)?(?:[^/?#]*@)?([^/?#]*)/.exec(address) ?? []
  return /:\d+$/.test(host) ? host : `${host}:${portElse}`
}
