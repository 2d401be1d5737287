import { type AnyRouter, lazyRouteComponent } from '@tanstack/react-router'
import { call } from '../api/call.ts'

/**
 * A page in a chunk of its own. The router reloads everything where a chunk does not come, since a new version
 * may have taken its place. While the service is away that would end at the browser's own page of errors, which
 * nobody comes back from by themselves, and what stands in this one would be lost: then the page says so.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        await call('GET', '/config')
        throw error
      }),
    name,
  )

/** Asks once more for what did not come of the page that is open: the router keeps the failure of each chunk. */
export async function loadAgain(router: AnyRouter): Promise<void> {
  const components = router.state.matches.map(
    ({ routeId }) => router.routesById[routeId]?.options.component,
  )
  await Promise.all(components.map((component) => component?.preload?.()))
}
