import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
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

/** A conversation that lives as long as the page does; nothing of it is stored. */
export function useConversation() {
  const client = useQueryClient()
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([])
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const update = (id: number, change: (exchange: Exchange) => Partial<Exchange>) =>
    setExchanges((all) => all.map((each) => (each.id === id ? { ...each, ...change(each) } : each)))

  async function ask({ question, ...request }: Ask): Promise<void> {
    const id = exchanges.length
    const controller = new AbortController()
    running.current = controller
    setExchanges([...exchanges, begun(id, request.model, question)])
    let text = ''
    const listener: ChatListener = {
      job: (jobId) => update(id, () => ({ jobId })),
      text: (piece) => {
        text += piece
        update(id, () => ({ answer: text }))
      },
    }
    const messages = messagesOf(exchanges, question)
    try {
      const receipt = await streamChat({ ...request, messages, stop: controller.signal }, listener)
      if (receipt) keepAnswer(receipt.job_id, text)
      update(id, () => ({ state: 'answered', receipt }))
    } catch (error) {
      update(id, () =>
        controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error },
      )
    }
    for (const name of ['account', 'jobs']) void client.invalidateQueries({ queryKey: [name] })
  }

  return {
    exchanges,
    isRunning: exchanges.at(-1)?.state === 'running',
    ask,
    stop: () => running.current?.abort(),
    clear: () => setExchanges([]),
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
