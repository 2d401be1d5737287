/**
 * How many must still arrive at a deposit address before any that are there become credits: the contract takes no
 * less at once. 0: nothing is there, or what is there is being credited.
 */
export const missingCredits = (arrived: number, minimum: number): number =>
  arrived > 0 && arrived < minimum ? minimum - arrived : 0
