import { Type } from '@sinclair/typebox'
import { address, count, nullable, timestamp, usdg } from '../../api/schemas/forms.ts'

export const accountSchema = Type.Object(
  {
    wallet: address('Wallet that owns the key.'),
    credits_remaining: count('What the wallet can spend now, locks and reservations excluded.'),
    usdg_value: usdg('The same in USDG: credits × 0.01.'),
    last_topup_at: nullable(timestamp('Last purchase of credits; null before the first.')),
    api_key_created_at: timestamp('When the key was created.'),
  },
  { title: 'Account', description: 'The wallet behind the key, and its balance.' },
)
