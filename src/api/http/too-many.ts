import type { FastifyRequest } from 'fastify'
import type { BurstLimit } from './burst-limit.ts'
import { clientAddress } from './client-address.ts'
import { type RefusalError, refuse } from './errors.ts'
import { isProbe } from './probes.ts'

/** @param bucketOf which bucket an address draws from; its own by default */
export function tooMany(
  burst: BurstLimit,
  request: FastifyRequest,
  bucketOf: (address: string) => string = (address) => address,
): RefusalError | undefined {
  if (isProbe(request.routeOptions.url)) return undefined
  const address = clientAddress(request.ip, request.raw.socket.remoteAddress)
  const seconds = burst.take(bucketOf(address))
  if (seconds === 0) return undefined
  const { perSecond, burst: atOnce } = burst.terms
  return refuse(
    'rate_limited',
    `Too many requests from your address: it may send ${perSecond} a second, and ${atOnce} at ` +
      `once. Try again in ${seconds} s.`,
    { details: { retry_after: seconds } },
  )
}
