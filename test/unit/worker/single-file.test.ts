import { randomBytes } from 'node:crypto'
import native from 'secp256k1'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Abi, toFunctionSelector } from 'viem'
import * as generated from '../../../src/chain/abi.ts'
import portable from '../../../src/worker/bundle/secp256k1.ts'
import { escrowAbi, rComputeAbi, stakingAbi } from '../../../src/worker/chain/abi.ts'

/** What the single file carries in place of what the service uses. */
const SingleFile = suite('single file')

SingleFile('signs byte for byte as the native curve does', () => {
  for (let i = 0; i < 50; i++) {
    const [key, hash] = [randomBytes(32), randomBytes(32)]
    const [a, b] = [native.ecdsaSign(hash, key), portable.ecdsaSign(hash, key)]
    assert.is(hex(b.signature), hex(a.signature))
    assert.is(b.recid, a.recid)
    const recovered = portable.ecdsaRecover(b.signature, b.recid, hash, false)
    assert.is(hex(recovered), hex(native.ecdsaRecover(a.signature, a.recid, hash, false)))
    assert.is(hex(portable.publicKeyCreate(key, false)), hex(recovered))
  }
})

SingleFile('refuses what is no key and no signature', () => {
  assert.throws(() => portable.publicKeyCreate(Buffer.alloc(32), false))
  assert.throws(() => portable.ecdsaRecover(Buffer.alloc(64, 0xff), 0, randomBytes(32), false))
})

SingleFile('knows the contracts as they are', () => {
  const pairs: [Abi, Abi][] = [
    [stakingAbi, generated.workerStakingAbi],
    [escrowAbi, generated.jobEscrowAbi],
    [rComputeAbi, generated.rComputeAbi],
  ]
  for (const [part, whole] of pairs) {
    const known = new Map(
      whole.flatMap((item) => (item.type === 'function' ? [[toFunctionSelector(item), item]] : [])),
    )
    for (const item of part) {
      if (item.type !== 'function') continue
      const real = known.get(toFunctionSelector(item))
      assert.ok(real, item.name)
      assert.equal(
        item.outputs.map(typesOf),
        real?.type === 'function' && real.outputs.map(typesOf),
      )
    }
  }
})

interface Parameter {
  readonly type: string
  readonly components?: readonly Parameter[]
}

const typesOf = ({ type, components }: Parameter): unknown =>
  components ? [type, components.map(typesOf)] : type

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

SingleFile.run()
