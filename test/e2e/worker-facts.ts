import type { NatsConnection } from 'nats'
import { decode } from '../../src/bus/codec.ts'
import type { WorkerFact } from '../../src/messages/fact.ts'

/** All that lies in the stream for whoever subscribes to worker.*, repeats too. */
export async function workerFacts(nats: NatsConnection): Promise<readonly WorkerFact[]> {
  const jsm = await nats.jetstreamManager()
  const { state } = await jsm.streams.info('FACT')
  const facts: WorkerFact[] = []
  for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq++) {
    const { subject, data } = await jsm.streams.getMessage('FACT', { seq })
    if (subject.startsWith('fact.worker.')) facts.push(decode(data) as WorkerFact)
  }
  return facts
}
