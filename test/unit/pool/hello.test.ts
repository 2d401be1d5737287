import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Challenge, Hello } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../../../src/domain/bytes.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
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
const KEY = `0x${'7'.repeat(64)}` as const
const PAYEE = toAddress(`0x${'6'.repeat(40)}`)
const nonce = Buffer.alloc(32, 1)

/** What becomes of the hello of a worker that was asked to answer this challenge. */
function read(
  more: Partial<Hello> = {},
  challenge: Partial<Challenge> = {},
  payee: Address | undefined = undefined,
) {
  const identity = new Identity(KEY, payee)
  const contract = Buffer.from(toBytes(CONTRACT))
  const answer = identity.answer({
    ...{ nonce, chainId: 1, jobEscrow: contract, workerStaking: contract },
    ...{ protocolMin: PROTOCOLS.min, protocolMax: PROTOCOLS.max, ...challenge },
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
  return checkHello(hello, nonce, separator, catalogue as unknown as Catalogue, toUnixMs(0))
}

function introduced(...hello: Parameters<typeof read>) {
  const answer = read(...hello)
  assert.ok(answer.ok, answer.ok ? '' : answer.error.details)
  return answer.value
}

const refusalOf = (...hello: Parameters<typeof read>) => {
  const answer = read(...hello)
  return answer.ok ? undefined : answer.error
}

Introduced('it is registered for the payee that it names, by default for itself', () => {
  const { address } = new Identity(KEY, undefined)
  for (const [named, paid] of [
    [PAYEE, PAYEE],
    [undefined, address],
  ] as const) {
    const { profile, registration } = introduced({}, {}, named)
    assert.is(profile.address, address)
    assert.equal([registration.signer, registration.payee], [address, paid])
  }
})

Introduced('turned away: a payee that its key has not signed for', () => {
  const refused = refusalOf({ payee: toBytes(PAYEE) })
  assert.is(refused?.code, status.UNAUTHENTICATED)
  assert.match(
    refused?.details ?? '',
    new RegExp(`^registration_signature is not by .* for payee ${PAYEE}`),
  )
})

Introduced('turned away: an answer to a challenge of another time, chain or contract', () => {
  const other = Buffer.alloc(20, 9)
  for (const challenge of [
    { nonce: Buffer.alloc(32, 2) },
    { chainId: 2 },
    { workerStaking: other },
  ] as const) {
    const refused = refusalOf({}, challenge)
    assert.is(refused?.code, status.UNAUTHENTICATED)
    assert.match(refused?.details ?? '', 'challenge_signature is not by')
  }
  assert.is(refusalOf({}, { jobEscrow: other }), undefined, 'that it will sign answers for')
})

Introduced('turned away: what is no address of worker or payee', () => {
  const short = Buffer.alloc(19, 1)
  for (const hello of [{ worker: short }, { payee: short }]) {
    assert.is(refusalOf(hello)?.code, status.INVALID_ARGUMENT)
  }
})

Introduced('a region is a line of whole characters', () => {
  assert.is(introduced({ region: 'eu\u2028-west\n' }).profile.region, 'eu-west')
  const long = introduced({ region: `${'a'.repeat(63)}\u{1f30d}` }).profile.region
  assert.ok(long.isWellFormed())
  assert.is(long, 'a'.repeat(63))
})

Introduced.run()
