import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { privateKeyToAccount } from 'viem/accounts'
import { makeRemoteSigner, type RemoteSigner } from '../../../src/chain/send/remote-signer.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { SignerUnavailable, type UnsignedTransaction } from '../../../src/ports/signer.ts'
import { type SignerServer, startSigner } from '../../fakes/chain/signer-server.ts'

const KEY = `0x${'7'.repeat(64)}` as const
const local = makeLocalSigner(KEY)
const asked: UnsignedTransaction = {
  chainId: 31_337,
  nonce: 0,
  to: toAddress(`0x${'e5'.repeat(20)}`),
  data: '0xabcdef',
  gas: 200_000n,
  maxFeePerGas: 90_000n,
  maxPriorityFeePerGas: 0n,
}

const Signers = suite('external signer')
const test = (
  name: string,
  run: (remote: RemoteSigner, server: SignerServer) => Promise<void>,
  dialect: 'web3signer' | 'clef' = 'web3signer',
) =>
  Signers(name, async () => {
    const server = await startSigner(local, dialect)
    const remote = makeRemoteSigner(server.url, local.address)
    try {
      await run(remote, server)
    } finally {
      await remote.close()
      await server.stop()
    }
  })

const refusalOf = (remote: RemoteSigner, of = asked): Promise<unknown> =>
  remote.sign(of).then(
    () => 'signed',
    (error: unknown) => error,
  )

test('gives the same transaction as the key itself', async (remote) => {
  for (const nonce of [0, 1, 200, 70_000]) {
    const transaction = { ...asked, nonce, maxPriorityFeePerGas: BigInt(nonce) }
    assert.equal(await remote.sign(transaction), await local.sign(transaction))
  }
})

test(
  'speaks the dialect of clef',
  async (remote, server) => {
    assert.equal(await remote.sign(asked), await local.sign(asked))
    assert.equal(server.methods, ['eth_signTransaction', 'account_signTransaction'])
  },
  'clef',
)

const lies: readonly (readonly [string, Partial<UnsignedTransaction>, RegExp])[] = [
  ['nonce', { nonce: 1 }, /its nonce differs/],
  ['recipient', { to: local.address }, /its recipient differs/],
  ['call', { data: '0xabcdee' }, /its data differs/],
  ['chain', { chainId: 1 }, /its chainId differs/],
  ['gas', { gas: 1n }, /its gas differs/],
  ['fee', { maxFeePerGas: 10n }, /its maxFeePerGas differs/],
]
for (const [what, lie, words] of lies) {
  test(`another ${what} than was asked for is not taken`, async (remote, server) => {
    const { raw } = await local.sign({ ...asked, ...lie })
    server.answer = () => raw
    const error = await refusalOf(remote)
    assert.instance(error, SignerUnavailable)
    assert.match(String(error), words)
  })
}

test('money that nobody asked to send is not taken', async (remote, server) => {
  const raw = await privateKeyToAccount(KEY).signTransaction({
    ...{ type: 'eip1559', ...asked, value: 1n },
  })
  server.answer = () => raw
  assert.match(String(await refusalOf(remote)), /its value differs/)
})

test("another key's signature is not taken", async (remote, server) => {
  const { raw } = await makeLocalSigner(`0x${'8'.repeat(64)}`).sign(asked)
  server.answer = () => raw
  assert.match(String(await refusalOf(remote)), /signed by 0x/)
})

for (const [what, answer] of [
  ['nothing', null],
  ['a number', 7],
  ['no transaction', '0x1234'],
  ['an empty object', {}],
] as const) {
  test(`${what} for an answer is waited out, not believed`, async (remote, server) => {
    server.answer = () => answer
    assert.instance(await refusalOf(remote), SignerUnavailable)
  })
}

test('one that is down is unavailable, and works again', async (remote, server) => {
  server.down = true
  const error = await refusalOf(remote)
  assert.instance(error, SignerUnavailable)
  assert.match(String(error), new RegExp(`the signer of ${local.address}`))
  server.down = false
  assert.equal(await remote.sign(asked), await local.sign(asked))
})

Signers.run()
