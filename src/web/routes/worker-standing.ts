import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { type Address, toAddress } from '../../domain/ids.ts'
import type { NetworkReader } from '../../ports/network-chain.ts'
import { refuseWeb } from '../http/errors.ts'
import { sessionOf } from '../sessions/signed-in.ts'
import type { AskPools } from '../workers/ask-pools.ts'
import type { WebStandings } from '../workers-api.ts'

interface Options {
  readonly networkReader: Pick<NetworkReader, 'payeeOf'>
  readonly askPools: AskPools
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** How the pools see a worker: for who runs it or is paid by it, and nobody else. */
export function workerStanding(
  server: FastifyInstance,
  { networkReader, askPools }: Options,
): void {
  server.get<{ Params: { readonly address: string } }>(
    '/api/workers/:address/standing',
    async (request): Promise<WebStandings> => {
      if (!ADDRESS.test(request.params.address)) throw notAnAddress()
      const worker = toAddress(request.params.address)
      const { wallet } = sessionOf(request)
      const payee = await networkReader.payeeOf(worker)
      if (payee === undefined) throw noWorker(worker)
      if (wallet !== worker && wallet !== payee) throw notYours()
      return askPools(worker)
    },
  )
}

const notAnAddress = () =>
  refuse('invalid_request', '`address` must be `0x` and 40 hexadecimal digits.', {
    param: 'address',
  })

const noWorker = (worker: Address) =>
  refuseWeb(
    'worker_not_found',
    `No worker signs as ${worker}, or it has left. A worker registers itself when it first starts: give the address that it shows then.`,
  )

const notYours = () =>
  refuseWeb(
    'not_your_worker',
    'Only the wallet that the worker is paid to, or its own key, may see how pools judge it. Sign in with one of them.',
  )
