import { Type } from '@sinclair/typebox'
import { oneOf, timestamp } from '../../api/schemas/forms.ts'
import { API_VERSION, EVENT_TYPES } from '../../messages/webhook.ts'

/** The envelope of every event (specification, Events). */
export const eventSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^evt_[0-9A-Za-z]+$',
      description: 'The same each time that this event is told.',
      examples: ['evt_5f2b8c0d9e1a4c7f8b3d6e2a1c0f9b4d'],
    }),
    event: oneOf(EVENT_TYPES, 'What happened.'),
    created_at: timestamp('When it happened.'),
    api_version: Type.Literal(API_VERSION, { description: 'Version of this shape.' }),
    data: Type.Unsafe<object>({
      type: 'object',
      description: 'What is told of it, by event: see [Webhooks](webhooks#events).',
    }),
  },
  { title: 'Event' },
)
