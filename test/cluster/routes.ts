import { type Cut, Way } from '../chaos/cuts.ts'

/** The ways between servers of a cluster, each of which can be cut. */
export interface Routes {
  /** Where this server finds the others, as --routes takes it. */
  urls(from: string): string
  /** Nothing passes between this server and the others any more. */
  cutOff(name: string, how: Cut): void
  heal(): void
  close(): void
}

export const HOST = '127.0.0.1'

/** @param port on which a server takes routes */
export async function layRoutes(
  names: readonly string[],
  port: (name: string) => number,
): Promise<Routes> {
  const pairs = names.flatMap((from) =>
    names.filter((to) => to !== from).map((to) => ({ from, to })),
  )
  const ways = await Promise.all(
    pairs.map(async ({ from, to }) => ({ from, to, way: await Way.fromServer(port(to)) })),
  )
  return {
    urls: (name) =>
      ways
        .filter(({ from }) => from === name)
        .map(({ way }) => `nats://${HOST}:${way.port}`)
        .join(','),
    cutOff: (name, how) => {
      for (const { from, to, way } of ways) if (from === name || to === name) way.cut(how)
    },
    heal: () => {
      for (const { way } of ways) way.heal()
    },
    close: () => {
      for (const { way } of ways) way.close()
    },
  }
}
