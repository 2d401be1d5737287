import type { JetStreamClient } from 'nats'
import type { Fact } from '../../messages/fact.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Facts } from '../../ports/facts.ts'
import { encode } from '../codec.ts'

const PUBLISH_TIMEOUT_MS = 2_000

/** Stream FACT. */
export function makeFacts(js: JetStreamClient): Facts {
  return {
    publish: async (fact) => {
      // The message id spares readers most repeats: the server remembers it for ten minutes. What
      // comes later is for them to tell by the fact's own id.
      await js.publish(subjectOf(fact), encode(fact), {
        msgID: fact.id,
        timeout: PUBLISH_TIMEOUT_MS,
      })
    },
  }
}

const subjectOf = (fact: Fact): string =>
  'wallet' in fact
    ? SUBJECTS.fact(fact.wallet, fact.type)
    : SUBJECTS.workerFact(fact.worker, fact.type)
