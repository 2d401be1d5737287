import type { Address } from '../../src/domain/ids.ts'
import type { RegisterReply, RegisterWorker } from '../../src/messages/lane.ts'
import type { EscrowReader, Receipt } from '../../src/ports/escrow.ts'
import type { LaneQueue } from './queue.ts'
import type { UntilChain } from './until-chain.ts'

type Respond = (reply: RegisterReply) => void

/** Workers' wishes to be registered, and the pools that wait for the answer. */
export interface Registrations {
  /** @returns whether a transaction is now needed */
  ask(wish: RegisterWorker, respond: Respond): Promise<boolean>
  answer(wish: RegisterWorker, receipt: Receipt): Promise<void>
}

interface Options {
  readonly queue: LaneQueue
  readonly reader: EscrowReader
  readonly untilChain: UntilChain
}

export function makeRegistrations({ queue, reader, untilChain }: Options): Registrations {
  const waiting = new Map<Address, Respond[]>()
  const reply = (signer: Address, answer: RegisterReply) => {
    for (const respond of waiting.get(signer) ?? []) respond(answer)
    waiting.delete(signer)
  }
  const idOf = (signer: Address) => untilChain(() => reader.workerId(signer))

  return {
    ask: async (wish, respond) => {
      const others = waiting.get(wish.signer)
      if (others) {
        others.push(respond)
        return false
      }
      waiting.set(wish.signer, [respond])
      const workerId = await idOf(wish.signer).catch((error: unknown) => {
        // Whoever waits hears nothing, and asks anew.
        waiting.delete(wish.signer)
        throw error
      })
      if (workerId === undefined) {
        queue.waiting.register.set(wish.signer, wish)
        return true
      }
      reply(wish.signer, { type: 'registered', workerId })
      return false
    },
    answer: async ({ signer }, { facts }) => {
      const fact = facts.find((each) => each.type === 'worker_registered')
      // Without an event it was registered before, or the contract refuses the signature.
      const workerId = fact?.workerId ?? (await idOf(signer))
      reply(
        signer,
        workerId === undefined
          ? { type: 'refused', reason: 'WorkerStaking refused the registration' }
          : { type: 'registered', workerId },
      )
    },
  }
}
