import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeFunctionData, parseAbi } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import { warnOfMissingRoles } from '../../../src/chain/read/roles.ts'
import type { Rpc } from '../../../src/chain/rpc/json-rpc.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { ChainUnavailable, type Hex } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

const Roles = suite('chain: keys without their role')

const ESCROW = toAddress(`0x${'e5'.repeat(20)}`)
const LOCKER = toAddress(`0x${'10'.repeat(20)}`)
const SETTLER = toAddress(`0x${'5e'.repeat(20)}`)
const contracts = { jobEscrow: ESCROW } as Contracts
const abi = parseAbi(['function hasRole(bytes32 role, address account) view returns (bool)'])

/** @param answer what the node says of one role of one account */
async function linesOf(answer: (role: Hex, account: Hex) => boolean | Error) {
  const lines: Record<string, unknown>[] = []
  const log = makeLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  const call = async (_method: string, params: readonly unknown[]) => {
    const [{ to, data }] = params as [{ to: Hex; data: Hex }]
    assert.is(to, ESCROW)
    const { args } = decodeFunctionData({ abi, data })
    const said = answer(...args)
    if (said instanceof Error) throw said
    return `0x${String(Number(said)).padStart(64, '0')}`
  }
  const rpc = { call } as unknown as Rpc
  await warnOfMissingRoles({ rpc, contracts, log }, { LOCKER, SETTLER })
  return lines
}

Roles('are told: whose, which, and what grants it', async () => {
  const lines = await linesOf((role) => role === roleId('LOCKER'))
  assert.is(lines.length, 1)
  const [{ level, escrowRole, address, msg }] = lines as [Record<string, unknown>]
  assert.equal([level, escrowRole, address], [40, 'SETTLER', SETTLER])
  assert.match(String(msg), `${SETTLER} is not SETTLER of the escrow`)
  assert.match(
    String(msg),
    `cast send ${ESCROW} 'grantRole(bytes32,address)' ${roleId('SETTLER')} ${SETTLER}`,
  )
})

Roles('each has its own: nothing is said', async () => {
  const holders: Readonly<Record<Hex, Hex>> = {
    [roleId('LOCKER')]: LOCKER,
    [roleId('SETTLER')]: SETTLER,
  }
  assert.equal(await linesOf((role, account) => holders[role] === account.toLowerCase()), [])
})

Roles('a node that does not answer is no reason to warn', async () => {
  const lines = await linesOf(() => new ChainUnavailable('down'))
  assert.equal(
    lines.map(({ level }) => level),
    [30, 30],
  )
})

Roles.run()
