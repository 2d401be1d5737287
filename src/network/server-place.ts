/**
 * Where a server is dialled, by its address with or without a scheme.
 * @param portElse where the address names none
 */
export function serverPlace(address: string, portElse: number): { host: string; port: number } {
  const url = URL.canParse(address) ? new URL(address) : undefined
  // "host:port" parses too, with the host as its scheme.
  const { hostname, port } = url?.hostname ? url : new URL(`tcp://${address}`)
  // A socket is given an IPv6 address without its brackets.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port ? Number(port) : portElse }
}
