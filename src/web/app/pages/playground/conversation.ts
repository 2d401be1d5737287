import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { sessionQuery } from '../../api/queries.ts'
import { keepAnswer } from '../../session/tab-memory.ts'
import {
  type ChatListener,
  type ChatMessage,
  type ChatReceipt,
  type ChatRequest,
  streamChat,
} from './stream-chat.ts'

/** One question and what came of it. */
export interface Exchange {
  readonly id: number
  readonly model: string
  readonly question: string
  readonly answer: string
  readonly state: 'running' | 'answered' | 'stopped' | 'failed'
  readonly jobId: string | null
  readonly receipt: ChatReceipt | null
  readonly error: unknown
}

export type Ask = Omit<ChatRequest, 'messages' | 'stop'> & { readonly question: string }

/**
 * The conversation of this tab. It outlives the page, so that a look at a job or a purchase costs nobody an
 * answer that is being written; but not the session in which the page was left. Nothing of it is stored.
 */
let exchanges: readonly Exchange[] = []
let running: AbortController | undefined
let leftBy: string | undefined
/** Never the same twice: an answer may come late to a conversation that is forgotten. */
let lastId = 0
const listeners = new Set<() => void>()

function show(next: readonly Exchange[]): void {
  exchanges = next
  for (const changed of listeners) changed()
}

const update = (id: number, change: Partial<Exchange>): void =>
  show(exchanges.map((each) => (each.id === id ? { ...each, ...change } : each)))

function forget(): void {
  running?.abort()
  show([])
}

function onChange(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

export function useConversation() {
  const client = useQueryClient()
  const shown = useSyncExternalStore(onChange, () => exchanges)
  useEffect(() => {
    const wallet = () => client.getQueryData(sessionQuery.queryKey)?.wallet
    if (leftBy !== undefined && leftBy !== wallet()) forget()
    leftBy = undefined
    return () => {
      leftBy = wallet()
      if (leftBy === undefined) forget()
    }
  }, [client])
  return {
    exchanges: shown,
    isRunning: shown.at(-1)?.state === 'running',
    ask: async (asked: Ask): Promise<void> => {
      await answerTo(asked)
      for (const name of ['account', 'jobs']) {
        void client.invalidateQueries({ queryKey: [name] })
      }
    },
    stop: () => running?.abort(),
    clear: () => show([]),
  }
}

async function answerTo({ question, ...request }: Ask): Promise<void> {
  const id = ++lastId
  const controller = new AbortController()
  running = controller
  const messages = messagesOf(exchanges, question)
  show([...exchanges, begun(id, request.model, question)])
  let answer = ''
  const listener: ChatListener = {
    job: (jobId) => update(id, { jobId }),
    text: (piece) => {
      answer += piece
      update(id, { answer })
    },
  }
  try {
    const receipt = await streamChat({ ...request, messages, stop: controller.signal }, listener)
    if (receipt) keepAnswer(receipt.job_id, answer)
    update(id, { state: 'answered', receipt })
  } catch (error) {
    update(id, controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error })
  }
}

const begun = (id: number, model: string, question: string): Exchange => ({
  ...{ id, model, question, answer: '', state: 'running' },
  ...{ jobId: null, receipt: null, error: null },
})

/** What brought no answer is not said again. */
const messagesOf = (
  exchanges: readonly Pick<Exchange, 'question' | 'answer'>[],
  question: string,
): readonly ChatMessage[] => [
  ...exchanges
    .filter(({ answer }) => answer !== '')
    .flatMap((each): ChatMessage[] => [
      { role: 'user', content: each.question },
      { role: 'assistant', content: each.answer },
    ]),
  { role: 'user', content: question },
]
