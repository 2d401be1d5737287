import type { Redis } from 'ioredis'

/** What Redis tells of itself in one section of INFO, by name. */
export async function readInfo(
  redis: Redis,
  section: string,
): Promise<(name: string) => string | undefined> {
  const info = await redis.info(section)
  return (name) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
}
