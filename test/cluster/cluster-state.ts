import type { NatsConnection, StreamInfo } from 'nats'
import { until } from '../until.ts'

/** What a cluster says of its streams. */
export interface ClusterState {
  /** Who leads the stream now; waited for. */
  leaderOf(stream: string): Promise<string>
  /** Who has a copy of the stream and does not lead it. */
  followersOf(stream: string): Promise<readonly string[]>
  infoOf(stream: string): Promise<StreamInfo>
  /** Whether each server runs and every copy of every stream has all that was written. */
  isWhole(): Promise<boolean>
}

const LEADER_MS = 30_000
const ANSWER_MS = 2_000

/** @param servers how many there are */
export function makeClusterState(connection: NatsConnection, servers: number): ClusterState {
  const jsm = () => connection.jetstreamManager({ checkAPI: false, timeout: ANSWER_MS })
  /** Undefined while nobody can tell. */
  const ask = async <T>(question: () => Promise<T>) => question().catch(() => undefined)
  const infoOf = (stream: string): Promise<StreamInfo> =>
    until(
      `the state of ${stream}`,
      () => ask(async () => (await jsm()).streams.info(stream)),
      LEADER_MS,
    )
  const leaderOf = (stream: string): Promise<string> =>
    until(
      `a leader of ${stream}`,
      async () => (await ask(() => infoOf(stream)))?.cluster?.leader || undefined,
      LEADER_MS,
    )
  return {
    infoOf,
    leaderOf,
    followersOf: async (stream: string) =>
      ((await infoOf(stream)).cluster?.replicas ?? []).map(({ name }) => name),
    isWhole: async () => {
      const streams = await ask(async () => (await jsm()).streams.list().next())
      if (!streams) return false
      return (connection.info?.connect_urls ?? []).length >= servers && streams.every(isInOrder)
    },
  }
}

const isInOrder = ({ cluster, config }: StreamInfo): boolean => {
  const replicas = cluster?.replicas ?? []
  return (
    Boolean(cluster?.leader) &&
    replicas.length === config.num_replicas - 1 &&
    replicas.every(({ current, offline }) => current && !offline)
  )
}
