import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeEventTopics, encodeFunctionData, type Hex, pad } from 'viem'
import { jobEscrowAbi } from '../../../../src/chain/abi.ts'
import type { WebConfig } from '../../../../src/web/api.ts'
import { callOf } from '../../../../src/web/app/chain/calls.ts'
import { isContractCode } from '../../../../src/web/app/chain/code.ts'
import { type Contract, contractsOf } from '../../../../src/web/app/chain/contracts.ts'
import { eventOf } from '../../../../src/web/app/chain/events.ts'
import { jobIdOfHex, jobIdToHex } from '../../../../src/web/app/chain/job-id.ts'
import type { LogSearch } from '../../../../src/web/app/chain/logs.ts'
import {
  exactRcompute,
  type NamedSaid,
  rcompute,
  sayAll,
} from '../../../../src/web/app/chain/said.ts'
import { type AddressFacts, searchOf } from '../../../../src/web/app/pages/explorer/read-address.ts'
import { searchTarget } from '../../../../src/web/app/pages/explorer/search-target.ts'
import { makeFakeHouse } from '../../../fakes/web/fake-house.ts'

const Explorer = suite('explorer')

const WEB: WebConfig = makeFakeHouse('http://127.0.0.1:1', 0).config
const ESCROW = WEB.contracts.job_escrow
const JOB = `job_${'0k'.repeat(13)}`
const WALLET: Hex = `0x${'ab'.repeat(20)}`
const word = (value: number): string => value.toString(16).padStart(64, '0')
const texts = (values: readonly NamedSaid[]) =>
  Object.fromEntries(
    values.map(({ name, said }) => [name, 'text' in said ? said.text : said.parts]),
  )

Explorer('what is typed leads to the page that shows it', () => {
  const hash = `0x${'AB'.repeat(32)}`
  assert.equal(searchTarget(` ${hash} `)?.params, { hash: hash.toLowerCase() })
  assert.equal(searchTarget(WALLET)?.params, { address: WALLET })
  assert.equal(searchTarget(JOB)?.params, { id: JOB })
  assert.equal(searchTarget(`chatcmpl-${JOB}`)?.params, { id: JOB })
  assert.equal(searchTarget('1,234')?.params, { block: '1234' })
  for (const nonsense of ['', '0x12', 'job_1', '-1', '1.5', 'hello']) {
    assert.is(searchTarget(nonsense), undefined, nonsense)
  }
})

Explorer('a job id goes onto the chain and comes back', () => {
  assert.is(jobIdOfHex(jobIdToHex(JOB)), JOB)
  assert.is(jobIdOfHex(`0x${'11'.repeat(32)}`), undefined)
})

Explorer('an event is read by its name, with amounts as people read them', () => {
  const topics = encodeEventTopics({
    ...{ abi: jobEscrowAbi, eventName: 'JobLocked' },
    args: { jobId: jobIdToHex(JOB), wallet: WALLET },
  }) as [Hex, ...Hex[]]
  const place = { transactionHash: pad('0x1'), blockNumber: 7n, logIndex: 2 }
  const data: Hex = `0x${word(8)}${word(1)}`
  const event = eventOf(WEB, { ...place, address: ESCROW, topics, data })!
  assert.is(`${event.contract}.${event.name}`, 'JobEscrow.JobLocked')
  const said = sayAll({ contract: event.contract, of: event.name }, event.inputs, event.args)
  const expected = { jobId: JOB, wallet: WALLET, credits: '8 credits', tier: 'standard' }
  assert.equal(texts(said), expected)
  const elsewhere = eventOf(WEB, { ...place, address: WALLET, topics, data })
  assert.is(elsewhere, undefined)
})

Explorer('a call is read by its name; a broken one, or one of others, is not', () => {
  const args = [WALLET, 1_000n] as const
  const data = encodeFunctionData({ abi: jobEscrowAbi, functionName: 'deposit', args })
  const call = callOf(WEB, ESCROW, data)!
  const said = sayAll({ contract: call.contract, of: call.name }, call.inputs, call.args)
  assert.equal(texts(said), { wallet: WALLET, credits: '1,000 credits' })
  assert.is(callOf(WEB, ESCROW, data.slice(0, 40) as Hex), undefined)
  assert.is(callOf(WEB, ESCROW, '0x'), undefined)
  assert.is(callOf(WEB, WALLET, data), undefined)
})

Explorer(
  'events of a worker are found by its number, and not those that count something else',
  () => {
    const facts: AddressFacts = {
      ...{ contract: undefined, isContract: false, coin: 0n, usdgUnits: 0n, rcompute: 0n },
      ...{ account: { available: 0, locked: 0, thawing: 0 }, workerId: 1, depositAddress: WALLET },
    }
    const { address, topics } = searchOf(WEB, WALLET, facts)
    const contracts = contractsOf(WEB)
    const isFound = (contract: Contract) =>
      address.includes(contract.address) &&
      eventsOf(contract).some((inputs) =>
        inputs.some(({ type }, i) => /^uint/.test(type) && isAskedFor(topics, i + 1)),
      )
    const names = contracts.filter(isFound).map(({ name }) => name)
    assert.equal(names, ['JobEscrow', 'WorkerStaking'])
  },
)

/** Of each event, what stands in its topics. */
const eventsOf = ({ abi }: Contract) =>
  abi.flatMap((item) => (item.type === 'event' ? [item.inputs.filter((each) => each.indexed)] : []))

const isAskedFor = (topics: LogSearch['topics'], place: number): boolean =>
  topics.some((wanted) => wanted[place]?.includes(pad('0x1')))

Explorer('a deadline that never ends is said so, and tokens have their unit', () => {
  const said = sayAll(
    { contract: 'RCOMPUTE', of: 'permit' },
    [
      { name: 'value', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
    [1_500_000_000_000_000_000n, 2n ** 256n - 1n],
  )
  assert.equal(texts(said), { value: '1.5 RCOMPUTE', deadline: 'never' })
  assert.is(rcompute(1n), 'less than 0.001 RCOMPUTE')
  assert.is(rcompute(0n), '0 RCOMPUTE')
})

Explorer(
  'tokens are never said to be more than they are, and what is to be typed to the last unit',
  () => {
    const almost = 1_999_999_900_000_000_000_000n
    assert.is(rcompute(almost), '1,999.999 RCOMPUTE')
    assert.is(exactRcompute(almost), '1,999.9999 RCOMPUTE')
    assert.is(exactRcompute(10n ** 27n + 1n), '1,000,000,000.000000000000000001 RCOMPUTE')
    assert.is(rcompute(40_000_000n * 10n ** 18n), '40,000,000 RCOMPUTE')
  },
)

Explorer('a wallet with a delegation is no contract', () => {
  assert.is(isContractCode(undefined), false)
  assert.is(isContractCode('0x'), false)
  assert.is(isContractCode(`0xef0100${'ab'.repeat(20)}`), false)
  assert.is(isContractCode('0x6080'), true)
})

Explorer('a time of the chain is told to the second and with its zone', () => {
  const [deadline] = sayAll(
    { contract: 'JobEscrow', of: 'withdraw' },
    [{ name: 'deadline', type: 'uint40' }],
    [1_795_831_360],
  )
  const { said } = deadline!
  assert.match('text' in said ? said.text : '', /:40.[AP]M (UTC|GMT|[A-Z]+)/)
})

Explorer.run()
