import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import type { TokenUnits } from '../../domain/credits.ts'
import { toAddress } from '../../domain/ids.ts'
import { isoTimestamp } from '../../domain/time.ts'
import type { ChainWorker, NetworkReader } from '../../ports/network-chain.ts'
import { refuseWeb } from '../http/errors.ts'
import { usdgOf, wholeTokens } from '../network/amounts.ts'
import type { WebWorker } from '../workers-api.ts'

interface Options {
  readonly networkReader: Pick<NetworkReader, 'worker'>
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** For everybody: the chain tells it to everybody. */
export function workers(server: FastifyInstance, { networkReader }: Options): void {
  server.get<{ Params: { readonly address: string } }>(
    '/api/workers/:address',
    async (request): Promise<WebWorker> => {
      const { address } = request.params
      if (!ADDRESS.test(address)) throw notAnAddress()
      const worker = await networkReader.worker(toAddress(address))
      if (worker) return publicWorker(worker)
      throw refuseWeb(
        'worker_not_found',
        `No worker signs as ${address}. A worker registers itself when it first starts: give the address that it shows then.`,
      )
    },
  )
}

const notAnAddress = () =>
  refuse('invalid_request', '`address` must be `0x` and 40 hexadecimal digits.', {
    param: 'address',
  })

function publicWorker(worker: ChainWorker): WebWorker {
  const { earnings, claimable, unbonding } = worker
  return {
    address: worker.signer,
    worker_id: worker.workerId,
    payee: worker.payee,
    active: !worker.deactivated,
    staked: worker.stake >= worker.minimumStake,
    stake_rcompute: wholeTokens(worker.stake),
    minimum_stake_rcompute: wholeTokens(worker.minimumStake),
    unbonding:
      unbonding === 0n
        ? null
        : {
            amount_rcompute: wholeTokens(unbonding),
            ends_at: isoTimestamp(worker.withdrawableAt),
          },
    earnings_usdg: usdgOf(earnings),
    claimable_usdg: usdgOf(claimable),
    held_usdg: usdgOf((earnings - claimable) as TokenUnits),
  }
}
