import { type Keeper, makeKeeper } from '../../../actors/keeper/keeper.ts'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { connectKeeper, type KeeperConnection } from '../../../src/chain/keeper.ts'
import { makeBlockWatch } from '../../../src/chain/rpc/block-watch.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import { type Address, type JobId, makeJobId } from '../../../src/domain/ids.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type Server, startNats } from '../../integration/servers.ts'
import { addressOf, KEYS, type LocalChain, startChain } from './anvil.ts'
import { makeOperatorCaller } from './operator-caller.ts'
import { makeWalletCaller } from './wallet-caller.ts'

/** Nobody else's, and without a coin until a test gives it some. */
const KEEPER_KEY = `0x${'5e'.repeat(32)}` as const
const KEEPER = addressOf(KEEPER_KEY)
export const WALLET = addressOf(KEYS.wallet)
export const PAYEE = addressOf(`0x${'6a'.repeat(32)}`)
const GWEI = 10n ** 9n

export type KeeperHouse = Awaited<ReturnType<typeof openKeeperHouse>>

/** A keeper on a chain and a NATS of their own, whose jobs say what a test wants them to. */
export async function openKeeperHouse() {
  const log = makeLog('test', (process.env.TEST_LOG ?? 'silent') as 'silent')
  const [local, server] = await Promise.all([startChain(100_000n), startNats()])
  const nats: Nats = await connectNats({ servers: server.url, name: 'test', log })
  const registries = {
    cursors: await nats.registry('CURSORS'),
    keys: await nats.registry('KEYS'),
    wallets: await nats.registry('WALLETS'),
    strikes: await nats.registry('STRIKES'),
  }
  const blocks = makeBlockWatch(local.rpc, log)
  const operator = makeOperatorCaller(local)
  await operator.registerWorker(PAYEE)
  const jobs = new Map<JobId, JobReply>()
  nats.bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const { jobId } = message as { jobId: JobId }
    respond(jobs.get(jobId) ?? { type: 'unknown_job' })
  })
  const running: Running[] = []

  const keep = async (more: Partial<Parameters<typeof makeKeeper>[0]> = {}): Promise<void> => {
    const { rpcUrl, contracts } = local
    const signer = makeLocalSigner(KEEPER_KEY)
    const connection = connectKeeper({ rpcUrl, contracts, signer, log, replaceAfterMs: 400 })
    const keeper = makeKeeper({
      ...connection,
      ...{ bus: nats.bus, registries, clock: systemClock, log, onBlock: blocks.onBlock },
      ...{ confirmations: 1, deployBlock: contracts.deployBlock, jobEscrow: contracts.jobEscrow },
      claimMinimum: toCredits(100),
      feeCeilingWei: 200n * GWEI,
      claimFeeCeilingWei: 200n * GWEI,
      ...more,
    })
    await keeper.start()
    running.push({ keeper, connection })
  }
  const rest = async (): Promise<void> => {
    for (const { keeper, connection } of running.splice(0)) {
      await keeper.stop()
      await connection.close()
    }
  }

  return {
    ...{ local, nats, registries, operator, jobs, keep, rest },
    as: (privateKey: `0x${string}`) => makeWalletCaller({ ...local, privateKey }),
    newJobs: (count: number): JobId[] =>
      Array.from({ length: count }, () =>
        makeJobId(systemClock.now(), systemClock.randomBytes(16)),
      ),
    giveCoin: (wei = 10n ** 18n) => setBalance(local, KEEPER, wei),
    takeCoin: () => setBalance(local, KEEPER, 0n),
    /** As an API key made for it would. */
    know: (wallet: Address) => know(registries.keys, wallet),
    elapse: async (seconds: number) => {
      await local.rpc.call('evm_increaseTime', [seconds])
      await local.rpc.call('evm_mine', [])
    },
    stop: async () => {
      await rest()
      blocks.close()
      await nats.close()
      await Promise.all([local.stop(), (server as Server).stop()])
    },
  }
}

interface Running {
  readonly keeper: Keeper
  readonly connection: KeeperConnection
}

const setBalance = ({ rpc }: LocalChain, address: Address, wei: bigint) =>
  rpc.call('anvil_setBalance', [address, `0x${wei.toString(16)}`])

const know = (keys: Registry, wallet: Address) =>
  keys.set(apiKeyHash(`key of ${wallet}`), { wallet, createdAt: 0, status: 'active' })
