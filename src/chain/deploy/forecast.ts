import { type Hex, size } from 'viem'
import type { Address } from '../../domain/ids.ts'
import { type Content, feesNow, type Reader } from './deployer.ts'

/**
 * `simulated`: the node ran all of it, one after the other. `estimated`: the node ran this one alone.
 * `computed`: from its size, and rather too much.
 */
export type Source = 'simulated' | 'estimated' | 'computed'

export interface Gas {
  readonly units: bigint
  readonly source: Source
}

export interface Forecast {
  /** Of each transaction, in their order. */
  readonly gas: readonly Gas[]
  /** Wei a unit of gas costs now, and the most that will be offered for one. */
  readonly weiNow: bigint
  readonly weiMost: bigint
}

/**
 * What transactions will cost that are sent one after the other. Later ones call contracts that
 * earlier ones make, so the node is asked to simulate all (eth_simulateV1). Where it does not know
 * how, each is estimated alone as far as it stands alone, and computed from its size otherwise.
 * @throws where the node says that one of them would fail
 */
export async function forecast(
  reader: Reader,
  from: Address,
  contents: readonly Content[],
): Promise<Forecast> {
  const fees = await feesNow(reader)
  const gas =
    (await simulate(reader, from, contents)) ??
    (await Promise.all(contents.map((content) => estimate(reader, from, content))))
  return fees.type === 'legacy'
    ? { gas, weiNow: fees.gasPrice, weiMost: fees.gasPrice }
    : { gas, weiNow: await reader.getGasPrice(), weiMost: fees.maxFeePerGas }
}

async function estimate(reader: Reader, from: Address, content: Content): Promise<Gas> {
  const { to, data } = content
  const computed: Gas = { units: roughGas(content), source: 'computed' }
  // To nobody's address any call succeeds, and costs nothing.
  if (to !== undefined && (await reader.getCode({ address: to })) === undefined) return computed
  const request = { account: from, to: to ?? null, data }
  // A constructor that asks a contract which is not there yet fails here, and will not later.
  const units = await reader.estimateGas(request).catch(() => undefined)
  return units === undefined ? computed : { units, source: 'estimated' }
}

interface Simulation {
  Method: 'eth_simulateV1'
  Parameters: [{ blockStateCalls: { calls: { from: Hex; to?: Hex; data: Hex }[] }[] }, 'latest']
  ReturnType: { calls: { status: Hex; gasUsed: Hex; error?: { message: string } }[] }[]
}

async function simulate(
  reader: Reader,
  from: Address,
  contents: readonly Content[],
): Promise<readonly Gas[] | undefined> {
  if (contents.length === 0) return []
  // A block each, so that no limit of a block is met.
  const blockStateCalls = contents.map(({ to, data }) => ({
    calls: [to ? { from, to, data } : { from, data }],
  }))
  const params: Simulation['Parameters'] = [{ blockStateCalls }, 'latest']
  // Many nodes do not know the method, and each says so in another way.
  const blocks = await reader
    .request<Simulation>({ method: 'eth_simulateV1', params })
    .catch(() => undefined)
  return blocks?.map(({ calls: [call] }, i) => {
    if (call && BigInt(call.status) === 1n) {
      return { units: BigInt(call.gasUsed), source: 'simulated' }
    }
    const reason = call?.error?.message ?? 'no reason given'
    throw new Error(`transaction ${i + 1} of ${contents.length} would fail: ${reason}`)
  })
}

const TRANSACTION_GAS = 21_000n
const CREATION_GAS = 32_000n
const CALLDATA_BYTE_GAS = 16n
const CODE_BYTE_GAS = 200n
const INIT_WORD_GAS = 2n
/** What a constructor here writes: some words of storage and some events. */
const CONSTRUCTOR_GAS = 400_000n
/** What a call here writes at most: the texts of a model. */
const CALL_GAS = 250_000n

/** Above what it will be: all of a creation's data counts as code. */
function roughGas({ to, data }: Content): bigint {
  const bytes = BigInt(size(data))
  const sent = TRANSACTION_GAS + bytes * CALLDATA_BYTE_GAS
  if (to !== undefined) return sent + CALL_GAS
  const init = ((bytes + 31n) / 32n) * INIT_WORD_GAS
  return sent + CREATION_GAS + bytes * CODE_BYTE_GAS + init + CONSTRUCTOR_GAS
}
