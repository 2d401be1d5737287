/** Limits of the specification and of its choices page. Spans in milliseconds, sizes in bytes. */
export const LIMITS = {
  bodyBytesMax: 4 * 1024 * 1024,
  messagesMax: 2_048,
  jsonDepthMax: 32,
  stopSequencesMax: 4,
  /** Least credits of one purchase; the contract holds to it. */
  purchaseCreditsMin: 100,
  /** A settlement hash is waited for at most this long before an answer goes out without it. */
  settlementHashWaitMs: 1_000,
  /** A stream says `:` after this much silence. */
  streamSilenceMs: 10_000,
  retryAfterSecondsMax: 60,
  webhooksPerWallet: 20,
  webhookUrlCharactersMax: 2_048,
  webhookSecretCharactersMin: 8,
  webhookSecretCharactersMax: 256,
  /** Of one attempt of a delivery, from its beginning to the end of the answer. */
  webhookAttemptMs: 10_000,
  /** An open dispute is decided within this. */
  arbitrationWindowHours: 24,
} as const
