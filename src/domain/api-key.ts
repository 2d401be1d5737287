import { KEY_LENGTH, type ServiceNames } from './service-names.ts'

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Bytes from here on would make some characters likelier than others. */
const FAIR_BELOW = 256 - (256 % ALPHANUMERIC.length)

/** `svc_live_` and 32 letters and digits, all of them equally likely: 190 bits. */
export function newApiKey(
  { keyStart }: Pick<ServiceNames, 'keyStart'>,
  source: { randomBytes(count: number): Uint8Array },
): string {
  let text = ''
  while (text.length < KEY_LENGTH) {
    for (const byte of source.randomBytes(KEY_LENGTH)) {
      if (byte < FAIR_BELOW && text.length < KEY_LENGTH)
        text += ALPHANUMERIC[byte % ALPHANUMERIC.length]
    }
  }
  return keyStart + text
}
