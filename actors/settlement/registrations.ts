import type { Address } from '../../src/domain/ids.ts'
import type { RegisterReply, RegisterWorker } from '../../src/messages/lane.ts'
import type { EscrowReader, Receipt } from '../../src/ports/escrow.ts'
import type { LaneQueue } from './queue.ts'
import type { RegistrationBudget } from './registration-budget.ts'
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
  readonly budget: RegistrationBudget
}

export function makeRegistrations({ queue, reader, untilChain, budget }: Options): Registrations {
  const waiting = new Map<Address, Respond[]>()
  const reply = (signer: Address, answer: RegisterReply) => {
    for (const respond of waiting.get(signer) ?? []) respond(answer)
    waiting.delete(signer)
    // What is answered may be of the lane before: who asked meanwhile needs no transaction of their own.
    queue.waiting.register.delete(signer)
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
      if (workerId !== undefined) {
        reply(wish.signer, { type: 'registered', workerId })
        return false
      }
      const laterMs = budget.take()
      if (laterMs > 0) {
        reply(wish.signer, { type: 'refused', reason: TOO_MANY, laterMs })
        return false
      }
      queue.waiting.register.set(wish.signer, wish)
      return true
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

const TOO_MANY = 'more new workers came than the network registers at its own expense in an hour'
