/**
 * What only this tab knows, for as long as it is open: the API key that was created or pasted, and
 * the answers of the playground by their job. Never stored, never sent but to the public API.
 */
let apiKey: string | undefined
const answers = new Map<string, string>()

/** Answers are kept to be verified soon; older ones go. */
const ANSWERS_MAX = 50

export const keyOfTab = (): string | undefined => apiKey

export function keepKey(key: string): void {
  apiKey = key
}

export function forgetKey(): void {
  apiKey = undefined
}

export const answerOf = (jobId: string): string | undefined => answers.get(jobId)

export function keepAnswer(jobId: string, text: string): void {
  answers.set(jobId, text)
  const [oldest] = answers.keys()
  if (answers.size > ANSWERS_MAX && oldest !== undefined) answers.delete(oldest)
}

export function forgetAll(): void {
  forgetKey()
  answers.clear()
}
