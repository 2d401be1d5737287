import { Type } from '@sinclair/typebox'
import { count, modelId, oneOf, tier, timestamp, unixSeconds } from '../../api/schemas/forms.ts'

const liveData = Type.Object(
  {
    tier: tier('Pricing tier.'),
    credits_per_request: count('Flat price of a completion of up to 500 output tokens.'),
    credits_per_1k_tokens: count('Price of each 1 000 output tokens above that.'),
    active_workers: Type.Integer({ minimum: 1, description: 'Workers that serve the model now.' }),
    median_latency_ms: count(
      'Median time to the first token over the workers of the current pool, in milliseconds. 0: nothing has been measured yet.',
    ),
    parameters: Type.String({ description: 'Size of the model.', examples: ['8B'] }),
    context_window: Type.Integer({
      minimum: 1,
      description:
        'Largest context that a worker takes now, messages and answer together, in tokens.',
    }),
    retires_at: Type.Optional(
      timestamp(
        'Only once a vote has retired the model: until then it works as before, from then on it is `model_not_found`.',
      ),
    ),
  },
  { title: 'ModelLiveData', description: 'Live data of the network.' },
)

export const modelSchema = Type.Object(
  {
    id: modelId('The ID, stable. It may hold slashes.'),
    object: oneOf(['model'], 'Always `model`.'),
    created: unixSeconds(
      'Unix seconds: the public release of a model of the launch lineup; of a later one, its listing on chain.',
    ),
    owned_by: Type.String({ description: 'Publisher of the model.' }),
    svc: liveData,
  },
  { title: 'Model', description: 'A model that at least one worker serves now.' },
)

export const modelListSchema = Type.Object(
  {
    object: oneOf(['list'], 'Always `list`.'),
    data: Type.Array(modelSchema, { description: 'Every model that is served now.' }),
  },
  { title: 'ModelList' },
)
