import { isDeepStrictEqual } from 'node:util'
import type { Address } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { publicJob } from '../../../src/messages/public-job.ts'
import { textOf } from '../text-of.ts'
import type { World } from '../world.ts'
import type { Asked, EdgeNode } from './edge-node.ts'
import { Exchange } from './exchange.ts'
import type { WalletKeys } from './wallet-keys.ts'

/** What is so of a wallet. */
export interface TrueAccount {
  /** It could spend so much now. */
  readonly credits: bigint
  /** Unix seconds; 0: never. */
  readonly lastDepositAt: number
}

interface Options {
  readonly wallets: readonly Address[]
  readonly keys: WalletKeys
  readonly escrowAddress: Address
  edges(): readonly EdgeNode[]
  /** All, as their journals have them. */
  jobs(): readonly JobView[]
  account(wallet: Address): TrueAccount
}

type Query = Partial<Pick<Asked, 'params' | 'query'>>
type Json = Readonly<Record<string, unknown>>

/** Each page but the last is full. */
const PAGE = 2
const AGAIN_MS = 500

/** Wallets that look at their accounts and jobs, once all has come to rest: what they read must be so. */
export class Readers {
  readonly #world: World
  readonly #options: Options
  #state: 'not begun' | 'reads' | 'done' = 'not begun'
  #flaws: readonly string[] = []

  constructor(world: World, options: Options) {
    this.#world = world
    this.#options = options
  }

  /** To be asked once nothing else is to happen: then they begin to read, until they read what is so. */
  *unrest(): Generator<string, void> {
    if (this.#state === 'done') return
    if (this.#state === 'not begun') this.#read()
    yield* this.#flaws
    yield 'wallets read'
  }

  #read(): void {
    this.#state = 'reads'
    const { wallets } = this.#options
    Promise.all(wallets.map((wallet) => this.#flawsOf(wallet))).then(
      (flaws) => {
        this.#flaws = flaws.flat()
        if (this.#flaws.length === 0) this.#state = 'done'
        else this.#world.after(AGAIN_MS, () => this.#read())
      },
      (error: unknown) => this.#world.fail(`a wallet cannot read: ${textOf(error)}`),
    )
  }

  async #flawsOf(wallet: Address): Promise<readonly string[]> {
    const key = this.#options.keys.of(wallet)
    if (this.#options.keys.closedSince(key) !== undefined) return []
    const mine = this.#options.jobs().filter((job) => job.wallet === wallet)
    const flaws = [await this.#accountFlaw(wallet, key), await this.#listFlaw(key, mine)]
    for (const job of mine) flaws.push(await this.#jobFlaw(key, job))
    return flaws.flatMap((flaw) => (flaw === undefined ? [] : [`${wallet}: ${flaw}`]))
  }

  async #accountFlaw(wallet: Address, key: string): Promise<string | undefined> {
    const told = await this.#ask('account', key)
    const { credits, lastDepositAt } = this.#options.account(wallet)
    const since = lastDepositAt === 0 ? null : isoOf(lastDepositAt * 1_000)
    const right =
      told.credits_remaining === Number(credits) &&
      told.usdg_value === Number(credits) / 100 &&
      told.last_topup_at === since &&
      told.wallet === wallet
    const so = `${credits} credits, the last of ${since}`
    return right ? undefined : `its account is ${JSON.stringify(told)}, and it has ${so}`
  }

  /** Newest first, from page to page. */
  async #listFlaw(key: string, jobs: readonly JobView[]): Promise<string | undefined> {
    const listed: Json[] = []
    let before: string | null = null
    do {
      const query = { limit: `${PAGE}`, ...(before === null ? {} : { before }) }
      const page = await this.#ask('jobs', key, { query })
      if (!Array.isArray(page.data)) return `its jobs are ${JSON.stringify(page)}`
      listed.push(...(page.data as Json[]))
      before = page.next_cursor as string | null
    } while (before !== null && listed.length <= jobs.length)
    const right = jobs.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map((job) => this.#shown(job))
    return isDeepStrictEqual(listed, right) ? undefined : differ('its jobs are', listed, right)
  }

  async #jobFlaw(key: string, job: JobView): Promise<string | undefined> {
    const told = await this.#ask('job', key, { params: { id: job.id } })
    const right = this.#shown(job)
    return isDeepStrictEqual(told, right) ? undefined : differ('its job is', told, right)
  }

  /** As JSON has it. */
  #shown(job: JobView): Json {
    return JSON.parse(JSON.stringify(publicJob(job, this.#options.escrowAddress))) as Json
  }

  #ask(route: Asked['route'], key: string, { params = {}, query = {} }: Query = {}): Promise<Json> {
    const edges = this.#options.edges()
    // One that was told to end may have done so just now.
    if (edges.length === 0) return Promise.resolve({ error: 'no edge' })
    const edge = this.#world.random.pick(edges)
    return new Promise((resolve) => {
      new Exchange(this.#world, edge, {
        ...{ route, key, headers: {}, params, query, body: undefined },
        ended: (end, { text }) =>
          resolve(end === 'whole' ? (JSON.parse(text) as Json) : { error: end }),
      })
    })
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()

const differ = (what: string, told: unknown, right: unknown): string =>
  `${what} ${JSON.stringify(told)}, and should be ${JSON.stringify(right)}`
