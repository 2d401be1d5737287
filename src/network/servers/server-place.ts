import { bareHost } from '../../domain/bare-host.ts'

/**
 * Where a server is dialled, by its address with or without a scheme.
 * @param portElse where the address names none
 */
export function serverPlace(address: string, portElse: number): { host: string; port: number } {
  const url = URL.canParse(address) ? new URL(address) : undefined
  // "host:port" parses too, with the host as its scheme.
  const { hostname, port } = url?.hostname ? url : new URL(`tcp://${address}`)
  return { host: bareHost(hostname), port: port ? Number(port) : portElse }
}
