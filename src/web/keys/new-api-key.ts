import type { Clock } from '../../ports/clock.ts'

const PREFIX = 'svc_live_'
const LENGTH = 32
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Bytes from here on would make some characters likelier than others. */
const FAIR_BELOW = 256 - (256 % ALPHANUMERIC.length)

/** `svc_live_` and 32 letters and digits, all of them equally likely: 190 bits. */
export function newApiKey(clock: Pick<Clock, 'randomBytes'>): string {
  let text = ''
  while (text.length < LENGTH) {
    for (const byte of clock.randomBytes(LENGTH)) {
      if (byte < FAIR_BELOW && text.length < LENGTH)
        text += ALPHANUMERIC[byte % ALPHANUMERIC.length]
    }
  }
  return PREFIX + text
}
