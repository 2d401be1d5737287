const BYTES = 16

/** 32 hexadecimal digits that nobody guesses. `crypto.randomUUID` is there only where the page came by https. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
