import {
  type ActorKind,
  accept,
  behind,
  type DueEffect,
  nothing,
} from '../../../src/runtime/kind.ts'

export type Command = 'begin' | 'finish' | 'get'
export type State = 'running' | 'done'

/** The least that an actor can do: it begins, runs and is done, and then it rests. */
export const runningKind: ActorKind<State, Command, State, DueEffect> = {
  subject: (id) => `job.0.${id}`,
  creates: () => false,
  decide: (state, command) => {
    if (command === 'begin' && !state) return accept<State>('running')
    if (command === 'finish' && !state) return behind
    return command === 'finish' && state === 'running' ? accept<State>('done') : nothing
  },
  evolve: (_, event) => event,
  due: () => [],
  rests: (state) => state === 'done',
  reply: (state) => state ?? 'unknown',
  run: async () => {},
}
