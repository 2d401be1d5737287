import type { FastifyRequest } from 'fastify'

/** A name or an address, with or without a port: nothing that could mean more in a page. */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * Where this request reached us, as scheme and host. Behind a proxy that is trusted, where it
 * reached the proxy. A host that is none gives way to that of the documentation.
 */
export function originOf({ protocol, host }: FastifyRequest, docsUrl: string): string {
  if (!HOST.test(host)) return new URL(docsUrl).origin
  return `${protocol === 'https' ? 'https' : 'http'}://${host}`
}

/** Stands in what is written once, before anyone has asked for it, and belongs to nobody. */
export const SOME_ORIGIN = 'http://host.invalid'

export const forHost = (text: string, request: FastifyRequest, docsUrl: string): string =>
  text.replaceAll(SOME_ORIGIN, originOf(request, docsUrl))
