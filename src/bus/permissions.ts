import { LANES, type Sender, SUBJECTS } from '../messages/subjects.ts'
import { type BucketName, STREAMS, type StreamName } from './streams/streams.ts'

/**
 * What each role may say to NATS and hear of it: the one table that the users of nats-server are
 * made from (deploy/nats-users.conf), and the threat model is written after. A role is its user's
 * name. `operator` is for tools and for whoever sets a deployment up, `auditor` only reads.
 */
export const NATS_ROLES = ['edge', 'web', 'pool', 'actors', 'operator', 'auditor'] as const
export type NatsRole = (typeof NATS_ROLES)[number]

export interface Permissions {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
  /** To whoever asked it something, once, within this span. */
  readonly answersWithin?: string
}

const ANSWERS_WITHIN = '2m'

/** Where answers to a user's requests arrive: no other user hears them. */
export const inboxPrefix = (user: string): string => `_INBOX_${user}`
const inbox = (user: string): string => `${inboxPrefix(user)}.>`

const api = (call: string): string => `$JS.API.${call}`
const kept = (bucket: BucketName): string => `KV_${bucket}`

const looksAt = (stream: string): string[] => [api(`STREAM.INFO.${stream}`)]
/** Single messages of a stream, by sequence or subject. */
const looksUp = (stream: string): string[] => [
  ...looksAt(stream),
  api(`STREAM.MSG.GET.${stream}`),
  api(`DIRECT.GET.${stream}`),
  api(`DIRECT.GET.${stream}.>`),
]
/** All of a stream, and what is new, through a consumer of one's own. */
const follows = (stream: string): string[] => [
  ...looksAt(stream),
  api(`CONSUMER.CREATE.${stream}`),
  api(`CONSUMER.CREATE.${stream}.>`),
  api(`CONSUMER.INFO.${stream}.*`),
  api(`CONSUMER.DELETE.${stream}.*`),
  api(`CONSUMER.MSG.NEXT.${stream}.*`),
  `$JS.FC.${stream}.>`,
]
/** Shares the work of a stream with others, through a consumer that stays. */
const shares = (stream: string): string[] => [
  api(`CONSUMER.DURABLE.CREATE.${stream}.>`),
  `$JS.ACK.${stream}.>`,
]
const reads = (...buckets: BucketName[]) => buckets.flatMap((name) => looksUp(kept(name)))
const watches = (...buckets: BucketName[]) => buckets.flatMap((name) => follows(kept(name)))
const writes = (...buckets: BucketName[]) =>
  buckets.flatMap((name) => [...looksAt(kept(name)), `$KV.${name}.>`])
const commands = (sender: Sender): string => `cmd.*.${sender}.*`

const ALL_STREAMS = Object.keys(STREAMS) as StreamName[]
const info = api('INFO')
const anyEdge = SUBJECTS.edgeInbox('*')

/** Asks jobs, accounts and webhooks; keeps no stream but who listens now. */
const edge: Permissions = {
  publish: [
    info,
    commands('edge'),
    ...[SUBJECTS.accountLoad, SUBJECTS.webhooks, SUBJECTS.orphan, SUBJECTS.poolsAsk],
    ...[SUBJECTS.edges, SUBJECTS.edgesLeft],
    ...reads('KEYS', 'MODELS'),
    ...watches('KEYS', 'MODELS'),
    ...looksUp('FACT'),
    ...writes('LISTENERS'),
  ],
  subscribe: [
    inbox('edge'),
    ...[anyEdge, SUBJECTS.edgePrompt(anyEdge), SUBJECTS.edgesLeft],
    ...[SUBJECTS.laneHealth, SUBJECTS.poolSummary, SUBJECTS.facts],
  ],
  answersWithin: ANSWERS_WITHIN,
}

/** What wallets choose, and who is signed in. */
const web: Permissions = {
  publish: [
    info,
    commands('web'),
    ...[SUBJECTS.accountLoad, SUBJECTS.accountWithdraw, SUBJECTS.depositAddress],
    ...[SUBJECTS.webhooks, SUBJECTS.orphan, SUBJECTS.poolsAsk, SUBJECTS.poolStanding('*')],
    ...reads('MODELS', 'KEYS', 'KEYRINGS', 'SESSIONS', 'NONCES', 'SETTINGS'),
    ...watches('MODELS'),
    ...writes('KEYS', 'KEYRINGS', 'SESSIONS', 'NONCES', 'SETTINGS'),
  ],
  subscribe: [inbox('web'), SUBJECTS.poolSummary],
}

/** Reports to jobs, answers edges, and remembers what workers did. */
const pool: Permissions = {
  publish: [
    info,
    commands('pool'),
    ...[anyEdge, SUBJECTS.edgePrompt(anyEdge)],
    ...[SUBJECTS.poolSummary, SUBJECTS.orphan, SUBJECTS.workerRegister],
    ...looksAt('FACT'),
    SUBJECTS.workerFacts,
    ...reads('MODELS', 'STRIKES', 'WORKERS', 'ADMITTED'),
    ...watches('MODELS'),
    ...writes('STRIKES', 'WORKERS', 'ADMITTED'),
  ],
  subscribe: [
    inbox('pool'),
    ...[SUBJECTS.pool('*'), SUBJECTS.poolStanding('*'), SUBJECTS.poolsAsk],
  ],
  answersWithin: ANSWERS_WITHIN,
}

/** Owns what happens: journal, lanes, facts, deliveries. Makes the streams, and deletes none. */
const actors: Permissions = {
  publish: [
    info,
    // Where everybody's questions are answered.
    ...NATS_ROLES.map(inbox),
    commands('house'),
    ...LANES.map(SUBJECTS.lane),
    ...[SUBJECTS.laneHealth, SUBJECTS.poolsAsk, SUBJECTS.pool('*'), anyEdge],
    ...[SUBJECTS.orphan, SUBJECTS.partitionsLeft, SUBJECTS.hosts, SUBJECTS.host('*')],
    ...ALL_STREAMS.flatMap((name) => STREAMS[name].subjects ?? []),
    ...[api('STREAM.CREATE.*'), api('STREAM.UPDATE.*')],
    ...[...looksUp('*'), ...follows('*'), ...shares('FACT'), ...shares('HOOK')],
    '$KV.*.>',
  ],
  subscribe: [
    inbox('actors'),
    'cmd.>',
    ...[...LANES.map(SUBJECTS.lane), SUBJECTS.workerRegister],
    ...[SUBJECTS.accountLoad, SUBJECTS.accountWithdraw, SUBJECTS.depositAddress],
    ...[SUBJECTS.webhooks, SUBJECTS.edges, SUBJECTS.poolSummary],
    ...[SUBJECTS.orphan, SUBJECTS.partitionsLeft, SUBJECTS.hosts, SUBJECTS.host('*')],
  ],
}

/** Follows what nobody shares: who may end any consumer may end those of the webhooks, and have a month told again. */
const auditor: Permissions = {
  publish: [info, api('STREAM.NAMES'), ...looksUp('*'), ...follows('JOB'), ...follows('DONE')],
  subscribe: [inbox('auditor')],
}

const operator: Permissions = { publish: ['>'], subscribe: ['>'] }

export const NATS_PERMISSIONS: Readonly<Record<NatsRole, Permissions>> = {
  ...{ edge, web, pool, actors, operator, auditor },
}
