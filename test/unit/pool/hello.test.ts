import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Hello } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../../../src/domain/bytes.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { domainSeparator } from '../../../src/domain/proof.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { PROTOCOLS } from '../../../src/domain/version.ts'
import { checkHello } from '../../../src/pool/session/hello.ts'
import type { Catalogue } from '../../../src/ports/catalogue.ts'
import { Identity } from '../../../src/worker/identity.ts'

const Introduced = suite('pool: how a worker introduces itself')

const [MODEL] = LAUNCH_LINEUP
const CONTRACT = toAddress(`0x${'5'.repeat(40)}`)
const identity = new Identity(`0x${'7'.repeat(64)}`, undefined)
const nonce = Buffer.alloc(32, 1)

function introduced(more: Partial<Hello>) {
  const contract = Buffer.from(toBytes(CONTRACT))
  const answer = identity.answer({
    ...{ nonce, chainId: 1, jobEscrow: contract, workerStaking: contract },
    ...{ protocolMin: PROTOCOLS.min, protocolMax: PROTOCOLS.max },
  })
  const hello: Hello = {
    ...{
      protocol: PROTOCOLS.max,
      worker: toBytes(identity.address),
      payee: toBytes(identity.payee),
    },
    challengeSignature: answer.challengeSignature,
    registrationSignature: answer.registrationSignature,
    models: [{ id: MODEL!.id, contextWindow: 0 }],
    ...{ slots: 1, engine: 'engine', region: '', agent: 'agent', sessionToken: Buffer.alloc(0) },
    ...{ resumes: true, batches: true, priceFloorBps: 0, ...more },
  }
  const catalogue = { find: (id: string) => (id === MODEL!.id ? MODEL : undefined) }
  const separator = domainSeparator({ name: 'WorkerStaking', chainId: 1, contract: CONTRACT })
  const at = toUnixMs(0)
  const read = checkHello(hello, nonce, separator, catalogue as unknown as Catalogue, at)
  assert.ok(read.ok, read.ok ? '' : read.error.details)
  return read.value.profile
}

Introduced('a region is a line of whole characters', () => {
  assert.is(introduced({ region: 'eu\u2028-west\n' }).region, 'eu-west')
  const long = introduced({ region: `${'a'.repeat(63)}\u{1f30d}` }).region
  assert.ok(long.isWellFormed())
  assert.is(long, 'a'.repeat(63))
})

Introduced.run()
