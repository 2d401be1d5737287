import { Type } from '@sinclair/typebox'
import { count } from './forms.ts'

export const usageSchema = Type.Object(
  {
    prompt_tokens: count('Tokens of the messages.'),
    completion_tokens: count(
      'Tokens of the answer, as the worker signed them. They are what is charged.',
    ),
    total_tokens: count('The sum of both.'),
  },
  { title: 'Usage', description: 'Token counts of one answer.' },
)
