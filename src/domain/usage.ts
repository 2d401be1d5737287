/** Token counts of one completion, under the names of the public protocol. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
}

export const totalTokens = (usage: Usage): number => usage.promptTokens + usage.completionTokens
