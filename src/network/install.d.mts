/** @param version as 20.19.0 */
export function isNewEnough(version: string): boolean
