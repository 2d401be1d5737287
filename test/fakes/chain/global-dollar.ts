import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import { createPublicClient, type Hex, parseAbi } from 'viem'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import type { Address } from '../../../src/domain/ids.ts'
import { KEYS, type LocalChain } from './anvil.ts'
import { mined } from './mined.ts'
import { makeWriter } from './writer.ts'

const CONTRACTS = fileURLToPath(new URL('../../../src/contracts', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const SOURCE = 'test/tokens/GlobalDollar.sol'

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function setPaused(bool yes)',
  'function setFrozen(address holder, bool yes)',
  'function balanceOf(address holder) view returns (uint256)',
])

/** What USDG's issuer can do, and who mints for tests. */
export type GlobalDollar = Awaited<ReturnType<typeof putGlobalDollar>>

/** Puts USDG in the place of the token of development, whose balances stay. */
export async function putGlobalDollar({ rpc, rpcUrl, contracts }: LocalChain) {
  const reader = createPublicClient({ transport: headFollowing(rpcUrl) })
  const writer = makeWriter(rpcUrl, KEYS.deployer)
  const included = (hash: Hex) => mined(reader, hash)
  const made = await included(
    await writer.deployContract({ abi, bytecode: compiled(), chain: null }),
  )
  const code = await rpc.call('eth_getCode', [made.contractAddress, 'latest'])
  await rpc.call('anvil_setCode', [contracts.usdg, code])
  const token = { address: contracts.usdg, abi, chain: null } as const
  return {
    mint: async (to: Address, units: bigint) =>
      included(await writer.writeContract({ ...token, functionName: 'mint', args: [to, units] })),
    pause: async (yes: boolean) =>
      included(await writer.writeContract({ ...token, functionName: 'setPaused', args: [yes] })),
    freeze: async (holder: Address, yes: boolean) =>
      included(
        await writer.writeContract({ ...token, functionName: 'setFrozen', args: [holder, yes] }),
      ),
    balanceOf: (holder: Address) =>
      reader.readContract({ ...token, functionName: 'balanceOf', args: [holder] }),
  }
}

function compiled(): Hex {
  const read = (path: string) => ({ content: readFileSync(path, 'utf8') })
  const input = {
    language: 'Solidity',
    sources: { [SOURCE]: read(join(CONTRACTS, SOURCE)) },
    settings: {
      ...{ evmVersion: 'cancun', optimizer: { enabled: true } },
      outputSelection: { [SOURCE]: { GlobalDollar: ['evm.bytecode.object'] } },
    },
  }
  const imports = (path: string) => ({ contents: read(join(PACKAGES, path)).content })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: imports }))
  return `0x${output.contracts[SOURCE].GlobalDollar.evm.bytecode.object}`
}
