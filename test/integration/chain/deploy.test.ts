import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ABI_HASH } from '../../../src/chain/abi.ts'
import { findContracts, writeContracts } from '../../../src/chain/contracts-file.ts'
import { checkDeployment } from '../../../src/chain/deploy/check.ts'
import { type DeployOptions, deployContracts } from '../../../src/chain/deploy/deploy.ts'
import { makeDeployer, makeReader } from '../../../src/chain/deploy/deployer.ts'
import { readRecord, recordPath, writeRecord } from '../../../src/chain/deploy/record.ts'
import { newRecord, runSteps } from '../../../src/chain/deploy/run.ts'
import { planSteps } from '../../../src/chain/deploy/steps.ts'
import { buildContracts } from '../../../src/contracts/build.ts'
import {
  addressOf,
  type EmptyChain,
  KEYS,
  SETTINGS,
  startEmptyChain,
} from '../../fakes/chain/anvil.ts'
import { TRANSACTIONS } from '../../fakes/chain/deploy-command.ts'
import { cutAtSending, type RpcBetween, startBetween } from '../../fakes/chain/rpc-between.ts'
import { until } from '../../until.ts'

let chain: EmptyChain
let between: RpcBetween
let clean: string

const Deploy = suite('deployment')

Deploy.before(async () => {
  chain = await startEmptyChain()
  between = await startBetween(chain.rpcUrl)
  await buildContracts()
  clean = await chain.rpc.call('evm_snapshot', [])
})

// Each test has a chain that nobody has sent to.
Deploy.before.each(async () => {
  await chain.rpc.call('evm_revert', [clean])
  clean = await chain.rpc.call('evm_snapshot', [])
})

Deploy.after(async () => {
  await between.close()
  await chain.stop()
})

const fileOf = (name: string): string => join(chain.dir, `${name}.json`)
const sentSoFar = async (key: `0x${string}` = KEYS.deployer): Promise<number> =>
  Number(await chain.rpc.call('eth_getTransactionCount', [addressOf(key), 'latest']))
const deploy = (name: string, other: Partial<DeployOptions> = {}) =>
  deployContracts({
    ...{ rpcUrl: chain.rpcUrl, deployerPrivateKey: KEYS.deployer, settings: SETTINGS },
    addressFile: fileOf(name),
    ...other,
  })
const refusalOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'no refusal', String)

Deploy('puts all contracts on the chain, and says where they are', async () => {
  const contracts = await deploy('fresh')
  assert.equal(await findContracts(fileOf('fresh')), contracts)
  assert.is(await sentSoFar(), TRANSACTIONS)
  const reader = makeReader(chain.rpcUrl)
  const { chainId, deployBlock } = contracts
  const findings = await checkDeployment({
    ...{ reader, at: contracts, settings: SETTINGS, chainId, deployBlock },
  })
  assert.equal(
    findings.filter(({ holds }) => !holds),
    [],
  )
  const roles = findings.filter(({ what }) => what.includes('who is'))
  const deployer = addressOf(KEYS.deployer)
  assert.equal(
    roles.filter(({ found }) => found.includes(deployer)).map(({ what }) => what),
    ['JobEscrow: who is ADMIN'],
    'the deployer has what was asked for, and nothing else',
  )
})

Deploy('a second run changes nothing', async () => {
  const contracts = await deploy('twice')
  const [file, record] = [fileOf('twice'), recordPath(fileOf('twice'))].map((path) =>
    readFileSync(path, 'utf8'),
  )
  assert.equal(await deploy('twice'), contracts)
  assert.is(await sentSoFar(), TRANSACTIONS)
  assert.is(readFileSync(fileOf('twice'), 'utf8'), file)
  assert.is(readFileSync(recordPath(fileOf('twice')), 'utf8'), record)
})

Deploy('a lost address file is written again from the record', async () => {
  const contracts = await deploy('lost-file')
  renameSync(fileOf('lost-file'), fileOf('lost-file-moved'))
  assert.equal(await deploy('lost-file'), contracts)
  assert.is(await sentSoFar(), TRANSACTIONS)
})

Deploy('dying before or after any sending, it goes on and sends nothing twice', async () => {
  const name = 'dying'
  let deaths = 0
  for (;;) {
    cutAtSending(between, 1, deaths % 2 === 0 ? 'before' : 'after')
    const ended = await goOn(name, between.url).then(
      () => true,
      (error: unknown) => {
        assert.match(`${error}${(error as Error).cause}`, /cut off/)
        return false
      },
    )
    if (ended) break
    assert.ok(++deaths <= 2 * TRANSACTIONS, 'each two lives get one transaction further')
  }
  assert.is(deaths, 2 * TRANSACTIONS)
  assert.is(await sentSoFar(), TRANSACTIONS)
  const contracts = await deploy(name)
  assert.is(await sentSoFar(), TRANSACTIONS)
  assert.is(contracts.deployBlock, 0)
})

/** What `deployContracts` does, but for the build and the look at the end: those take long. */
async function goOn(name: string, rpcUrl: string, patienceMs?: number) {
  const reader = makeReader(chain.rpcUrl)
  const deployer = makeDeployer(makeReader(rpcUrl), KEYS.deployer, patienceMs)
  const about = { chain_id: 31_337, abi_hash: ABI_HASH, deploy_block: 0 }
  const record = await readRecord(fileOf(name))
  return runSteps({
    ...{ reader, deployer, settings: SETTINGS },
    steps: await planSteps(SETTINGS, deployer.address),
    record: record ?? newRecord(about, deployer.address, SETTINGS),
    keep: (kept) => writeRecord(fileOf(name), kept),
    log: () => {},
  })
}

Deploy('a transaction that is stuck is sent again with the fees of later', async () => {
  await chain.rpc.call('evm_setAutomine', [false])
  try {
    assert.match(await refusalOf(goOn('stuck', chain.rpcUrl, 200)), /was not included in 0.2 s/)
    await chain.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
    await chain.rpc.call('evm_mine', [])
    assert.is(await sentSoFar(), 0, 'too cheap by now')
  } finally {
    await chain.rpc.call('evm_setAutomine', [true])
  }
  await deploy('stuck')
  assert.is(await sentSoFar(), TRANSACTIONS)
  const first = (await readRecord(fileOf('stuck')))?.steps['make RCompute']
  assert.is(first?.nonce, 0)
  assert.is(first?.hashes.length, 2)
})

Deploy('a nonce that another transaction took is not waited for', async () => {
  cutAtSending(between, 1, 'before')
  assert.match(await refusalOf(goOn('taken', between.url)), /cut off/)
  const from = addressOf(KEYS.deployer)
  await chain.rpc.call('eth_sendTransaction', [{ from, to: from, value: '0x1' }])
  await deploy('taken')
  assert.is(await sentSoFar(), TRANSACTIONS + 1)
})

Deploy('half a deployment is ended as it was begun', async () => {
  cutAtSending(between, 3, 'after')
  await refusalOf(goOn('half', between.url))
  const otherTreasury = { ...SETTINGS, treasury: addressOf(KEYS.worker) }
  assert.match(
    await refusalOf(deploy('half', { settings: otherTreasury })),
    /half.deployment.json says that a deployment was begun with treasury 0x7777/,
  )
  assert.match(
    await refusalOf(deploy('half', { deployerPrivateKey: KEYS.worker })),
    new RegExp(`begun by ${addressOf(KEYS.deployer)}`),
  )
  assert.is(await sentSoFar(), 3)
  assert.not.ok(existsSync(fileOf('half')), 'no role finds half a deployment')
})

Deploy('another chain, another version and another token are refused', async () => {
  const contracts = await deploy('target')
  const change = (other: Partial<typeof contracts>) =>
    writeContracts(fileOf('target'), { ...contracts, ...other })
  await change({ chainId: 1 })
  assert.match(
    await refusalOf(deploy('target')),
    /addresses of chain 1, but the node is on chain 31337/,
  )
  await change({ abiHash: '' })
  assert.match(await refusalOf(deploy('target')), /holds an escrow of another version/)
  await change({})
  const token = addressOf(KEYS.worker)
  assert.match(
    await refusalOf(deploy('target', { settings: { ...SETTINGS, token } })),
    /holds an escrow of token 0x[0-9a-f]{40}, not 0x/,
  )
  assert.is(await sentSoFar(), TRANSACTIONS)
})

Deploy('a token of its own is taken for the payment token, and anything else refused', async () => {
  const { usdg, rCompute, jobEscrow } = await deploy('with-token')
  const withToken = (token: typeof usdg) => deploy('token', { settings: { ...SETTINGS, token } })
  assert.match(
    await refusalOf(withToken(rCompute)),
    /has 18 decimals, and credits are made of one with 6/,
  )
  assert.match(await refusalOf(withToken(jobEscrow)), /is no token on this chain/)
  assert.match(await refusalOf(withToken(addressOf(KEYS.wallet))), /is no token on this chain/)
  assert.is(await sentSoFar(), TRANSACTIONS, 'nothing was sent')

  const deployed = await withToken(usdg)
  assert.is(deployed.usdg, usdg)
  assert.is.not(deployed.jobEscrow, jobEscrow)
})

Deploy('contracts that a chain does not show are not passed over by themselves', async () => {
  const contracts = await deploy('gone')
  await chain.rpc.call('evm_revert', [clean])
  clean = await chain.rpc.call('evm_snapshot', [])
  assert.match(await refusalOf(deploy('gone')), /shows no code where .*gone.json says/)
  assert.is(await sentSoFar(), 0)
  assert.equal(await findContracts(fileOf('gone')), contracts)

  await deploy('gone', { lostContracts: 'replace' })
  assert.is(await sentSoFar(), TRANSACTIONS)
})

Deploy('the address file waits until all is as deep as was asked', async () => {
  let isDone = false
  const work = deploy('deep', { confirmations: 3 }).then(() => {
    isDone = true
  })
  await until('all to be sent', async () => (await sentSoFar()) === TRANSACTIONS)
  await chain.rpc.call('evm_mine', [])
  assert.not.ok(isDone)
  assert.not.ok(existsSync(fileOf('deep')))
  // How deep it is is counted from the block of the look, whenever that comes.
  await until('all to be deep enough', async () => {
    await chain.rpc.call('evm_mine', [])
    return isDone
  })
  await work
  assert.ok(existsSync(fileOf('deep')))
})

Deploy.run()
