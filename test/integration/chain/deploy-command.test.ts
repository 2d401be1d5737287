import { existsSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SETTINGS } from '../../fakes/chain/anvil.ts'
import { deployOnEmptyChain, HOLDERS, TRANSACTIONS } from '../../fakes/chain/deploy-command.ts'
import { freePort } from '../servers.ts'

/** `npm run deploy`, as an operator runs it. */
const Command = suite('npm run deploy')

const { addressFile, answerBy, run, sentSoFar } = deployOnEmptyChain(Command)

Command('what is wrong is said before anything is sent', async () => {
  const wrongs: readonly [readonly string[], Record<string, string>, RegExp][] = [
    [[], HOLDERS, /name also --token \(or --development-token\)/],
    [['--development-token', '--chain-id', '1'], HOLDERS, /the node is on chain 31337, not on 1/],
    [
      ['--development-token'],
      { ...HOLDERS, DEPLOYER_PRIVATE_KEY: `0x${'5a'.repeat(32)}` },
      /0x[0-9a-f]{40} holds 0 of the chain's coin, and may need 0\.\d+/,
    ],
    [['--token', SETTINGS.locker], HOLDERS, /is no token on this chain: check the address/],
  ]
  for (const [args, env, expected] of wrongs) {
    const { code, said } = await run(args, env)
    assert.match(said, expected)
    assert.is(code, 1)
  }
  assert.is(await sentSoFar(), 0)
})

Command('a node that is away is told without its address', async () => {
  const url = `http://127.0.0.1:${await freePort()}/a-secret-of-the-provider`
  const { code, said } = await run(['--development-token'], { ...HOLDERS, RPC_URL: url })
  assert.is(code, 1)
  assert.match(said, /the node does not answer: check --rpc-url/)
  assert.not.match(said, /secret/)
})

Command('a chain that cannot carry the service is told apart before anything is sent', async () => {
  const withoutBaseFee: Parameters<typeof answerBy>[0] = async ({ method }, forward) => {
    const answer = await forward()
    if (method !== 'eth_getBlockByNumber') return answer
    const { baseFeePerGas: _, ...block } = answer.result as Record<string, unknown>
    return { result: block }
  }
  const beforeCancun: Parameters<typeof answerBy>[0] = async ({ method }, forward) =>
    method === 'eth_call'
      ? { error: { code: -32_000, message: 'invalid opcode: TLOAD' } }
      : forward()
  for (const [answer, expected] of [
    [withoutBaseFee, /no base fee, and the service sends EIP-1559 transactions only/],
    [beforeCancun, /does not execute what the contracts are made of \(TLOAD, MCOPY and PUSH0/],
  ] as const) {
    answerBy(answer)
    for (const mode of [['--dry-run'], []]) {
      const { code, said } = await run(['--development-token', ...mode], HOLDERS)
      assert.match(said, expected)
      assert.is(code, 1)
    }
  }
  assert.is(await sentSoFar(), 0)
})

Command('a dry run says each step and who would hold what, and sends nothing', async () => {
  const { code, said } = await run(['--development-token', '--dry-run'], HOLDERS)
  assert.is(code, 0, said)
  assert.match(said, new RegExp(`${TRANSACTIONS} transactions on chain 31337, as 0xf39f`))
  assert.match(said, /make JobEscrow +[\d,]{9} +0\.\d+ +estimated/)
  assert.match(said, /WorkerStaking: the deployer is no admin +[\d,]+ +0\.\d+ +computed/)
  assert.match(said, /JobEscrow ADMIN +0x[0-9a-f]{40} \(the timelock: by vote\)/)
  assert.match(said, new RegExp(`JobEscrow ARBITER +${SETTINGS.arbiter} +decides disputes`))
  assert.is(await sentSoFar(), 0)
  assert.not.ok(existsSync(addressFile()))
})

Command(
  'a node that can simulate is believed, also where it says that a step would fail',
  async () => {
    const simulated = (failsAt: number) => {
      answerBy(async ({ method, params }, forward) => {
        if (method !== 'eth_simulateV1') return forward()
        const [{ blockStateCalls }] = params as [{ blockStateCalls: unknown[] }]
        return {
          result: blockStateCalls.map((_, i) => ({
            calls: [
              i === failsAt
                ? { status: '0x0', gasUsed: '0x1', error: { message: 'execution reverted' } }
                : { status: '0x1', gasUsed: '0x186a0' },
            ],
          })),
        }
      })
    }
    simulated(-1)
    const good = await run(['--development-token', '--dry-run'], HOLDERS)
    assert.is(good.code, 0, good.said)
    assert.match(good.said, /make JobEscrow +100,000 +0\.\d+ +simulated/)
    assert.match(
      good.said,
      new RegExp(`all together +${(TRANSACTIONS * 100_000).toLocaleString('en')}`),
    )
    simulated(4)
    const bad = await run(['--development-token', '--dry-run'], HOLDERS)
    assert.is(bad.code, 1)
    assert.match(bad.said, /transaction 5 of \d+ would fail: execution reverted/)
  },
)

Command.run()
