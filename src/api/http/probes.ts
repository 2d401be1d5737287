/** Asked by those who watch over us, as often as they like: of no caller's requests. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])

/** @param route as it was registered; undefined: nobody serves it */
export const isProbe = (route: string | undefined): boolean => PROBES.has(route)
