import { NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type Server, startRedis } from '../servers.ts'

export const at = toUnixMs(1_800_000_000_000)
export const newJob = (): JobId => makeJobId(at, systemClock.randomBytes(16))
export const newWallet = (): Address =>
  toAddress(`0x${Buffer.from(systemClock.randomBytes(20)).toString('hex')}`)
export const entry = (wallet: Address, jobId: JobId, block: number, logIndex: number) => ({
  wallet,
  jobId,
  block,
  logIndex,
})

/** A ledger on a redis-server of its own. */
export class LedgerStage {
  server!: Server
  store!: Store

  async open(): Promise<void> {
    this.server = await startRedis()
    this.store = await this.connect()
  }

  async close(): Promise<void> {
    await this.store.close()
    await this.server.stop()
  }

  connect(): Promise<Store> {
    return connectRedis({ url: this.server.url, log: makeLog('test', 'silent') })
  }

  reserve(wallet: Address, jobId: JobId, credits: number, through = this.store) {
    return through.ledger.reserve({ wallet, jobId, credits: toCredits(credits), at })
  }

  load(wallet: Address, credits: number, block = 10) {
    return this.store.ledger.load(wallet, {
      available: toCredits(credits),
      locked: NO_CREDITS,
      lastTopupAt: at,
      block,
    })
  }

  async remaining(wallet: Address): Promise<number> {
    const balance = await this.store.ledger.balance(wallet)
    if (balance === 'unknown_wallet') throw new Error('the wallet is unknown')
    return Number(balance.remaining)
  }
}
