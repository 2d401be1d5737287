import {
  Message_Role,
  type Offer,
  type Sampling as SamplingMessage,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import type { ChatMessage, Sampling } from '../domain/chat.ts'
import type { EngineJob } from './engine.ts'

/** An offer of the worker protocol in the house's own words. */
export const toEngineJob = (offer: Offer): EngineJob => ({
  model: offer.model,
  messages: offer.messages.map(({ role, content }) => ({ role: roleOf(role), content })),
  sampling: offer.sampling ? toSampling(offer.sampling) : {},
  outputTokensMax: offer.maxOutputTokens,
})

function roleOf(role: Message_Role): ChatMessage['role'] {
  if (role === Message_Role.ROLE_SYSTEM) return 'system'
  return role === Message_Role.ROLE_ASSISTANT ? 'assistant' : 'user'
}

const toSampling = (sampling: SamplingMessage): Sampling => ({
  ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
  ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
  ...(sampling.stop.length === 0 ? {} : { stop: sampling.stop }),
  ...(sampling.frequencyPenalty === undefined
    ? {}
    : { frequency_penalty: sampling.frequencyPenalty }),
  ...(sampling.presencePenalty === undefined ? {} : { presence_penalty: sampling.presencePenalty }),
  ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
})
