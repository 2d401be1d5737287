/** @param version as 20.19.0 */
export function isNewEnough(version: string): boolean
/** @param started `npm_execpath` */
export function npm(started: string | undefined): [command: string, before: string[]]
