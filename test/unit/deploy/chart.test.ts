import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { actorsSchema, edgeSchema, poolSchema } from '../../../src/config/schema.ts'
import { leavingMs } from '../../../src/config/shared-settings.ts'
import { webSchema } from '../../../src/config/web-schema.ts'
import { lint, type Manifest, ROOT, render } from './helm.ts'
import { faultsOf } from './kubernetes-schema.ts'
import { type Env, envOf, started, unreadBy } from './role-settings.ts'
import { filledIn, makeSecrets, type Secrets } from './secrets.ts'

const Chart = suite('deploy: chart')

interface Port {
  readonly name: string
  readonly containerPort: number
}
interface Named {
  readonly name: string
}
interface Container {
  readonly args: readonly [string]
  readonly ports: readonly Port[]
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string }
    readonly secretRef?: { readonly name: string }
  }[]
  readonly startupProbe: { readonly httpGet: { readonly path: string } }
  readonly livenessProbe: { readonly httpGet: { readonly path: string } }
  readonly readinessProbe: {
    readonly httpGet: { readonly path: string }
    readonly periodSeconds: number
    readonly failureThreshold: number
  }
}
interface Found extends Manifest {
  // biome-ignore lint/suspicious/noExplicitAny: of each kind another one; faultsOf has checked it
  readonly spec: any
  readonly data: Env
}
const SECRET = /_(PRIVATE_KEY|PASSWORD|API_KEY|SECRET_KEYS|OTLP_HEADERS)$|^(NATS|REDIS|RPC)_URL$/
const ADDRESSES = join(ROOT, 'deploy/helm/ci/contracts.json')
const GIVEN = [
  '--set-file',
  `contracts=${ADDRESSES}`,
  '--values',
  'deploy/helm/ci/values.yaml',
].map((word) => (word.startsWith('deploy/') ? join(ROOT, word) : word))
/** Everything on, and nothing but what must be given. */
const EVERYTHING = [...GIVEN, '--values', join(ROOT, 'deploy/helm/ci/everything.yaml')]
let secrets: Secrets
let least: Found[]
let most: Found[]

Chart.before(async () => {
  secrets = makeSecrets()
  ;[least, most] = await Promise.all([render<Found>(GIVEN), render<Found>(EVERYTHING)])
})
Chart.after(() => secrets.remove())

const ofKind = (manifests: readonly Found[], kind: string) =>
  manifests.filter((manifest) => manifest.kind === kind)
const named = (manifests: readonly Found[], kind: string, name: string) =>
  ofKind(manifests, kind).find(({ metadata }) => metadata.name === name)

/** The pods that a chart would run, with what they are told. */
function pods(manifests: readonly Found[]) {
  return ofKind(manifests, 'Deployment').map(({ metadata, spec }) => {
    const container: Container = spec.template.spec.containers[0]
    const [settings, secret] = [
      container.envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
      container.envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []),
    ]
    const told: Env = Object.assign(
      {},
      ...settings.map((name) => named(manifests, 'ConfigMap', name)?.data),
    )
    const files = secret.map((name) => filledIn(secrets.read(`${name.replace('svc-', '')}.env`)))
    const hidden: Env = Object.assign({}, ...files.map(envOf))
    return { name: metadata.name, command: container.args[0], container, told, hidden, spec }
  })
}

Chart('has no fault that helm knows of', async () => {
  const { stdout } = await lint(EVERYTHING)
  assert.match(stdout, /0 chart\(s\) failed/)
})

Chart('Kubernetes knows every field, and would take every value', async () => {
  for (const manifest of [...least, ...most]) {
    if (manifest.kind !== 'PodMonitor') assert.equal(await faultsOf(manifest), [])
  }
  assert.ok(most.length > least.length)
})

Chart('the check of fields finds a misspelt and a mistyped one', async () => {
  const deployment = structuredClone(named(least, 'Deployment', 'svc-edge')!)
  const wrong = { ...deployment, spec: { ...deployment.spec, replicass: 2 } }
  assert.equal(await faultsOf(wrong), ['Deployment svc-edge: there is no /spec/replicass'])
  const mistyped = { ...deployment, spec: { ...deployment.spec, paused: 'no' } }
  assert.match((await faultsOf(mistyped)).join(), /\/spec\/paused type/)
})

Chart('every role starts with the settings it is given', () => {
  for (const { name, command, told, hidden } of [...pods(least), ...pods(most)]) {
    try {
      started(command, { ...told, ...hidden })
    } catch (error) {
      assert.unreachable(`${name}: ${(error as Error).message}`)
    }
  }
})

Chart('with the values of kubernetes.md nobody is sent to an address of this machine', async () => {
  const guide = readFileSync(join(ROOT, 'src/docs/operating/kubernetes.md'), 'utf8')
  const [, values] = /^`values\.yaml` of your own.*?^```yaml$(.*?)^```$/ms.exec(guide) ?? []
  const file = join(secrets.folder, 'values.yaml')
  writeFileSync(file, values!)
  const found = pods(
    await render<Found>(['--set-file', `contracts=${ADDRESSES}`, '--values', file]),
  )
  for (const { name, command, told, hidden } of found) {
    const settings = started(command, { ...told, ...hidden })
    for (const address of ['WEB_URL', 'WEB_RPC_URL', 'API_BASE_URL', 'DOCS_URL']) {
      assert.not.match(String(settings[address]), /127\.0\.0\.1|localhost/, `${name}: ${address}`)
    }
  }
})

Chart('no setting is left unread, and none stands in two places', () => {
  for (const { name, command, told, hidden } of pods(most)) {
    assert.equal(unreadBy(command, { ...told, ...hidden }), [], name)
    assert.equal(
      Object.keys(told).filter((setting) => setting in hidden),
      [],
      name,
    )
  }
})

Chart(
  'an authority of the operator is trusted by every role, and only its certificate is there',
  () => {
    for (const { name, spec } of pods(most)) {
      const { containers, volumes } = spec.template.spec
      const { env, volumeMounts } = containers[0]
      const file = env.find((each: Named) => each.name === 'NODE_EXTRA_CA_CERTS')?.value
      const { mountPath } = volumeMounts.find((each: Named) => each.name === 'authority')
      const { secret } = volumes.find((each: Named) => each.name === 'authority')
      assert.is(secret.secretName, 'authority', name)
      assert.equal(
        secret.items.map(({ path }: { path: string }) => `${mountPath}/${path}`),
        [file],
        name,
      )
    }
    for (const { container } of pods(least)) assert.not('env' in container)
  },
)

Chart('ports are those that the roles listen on', () => {
  for (const { name, command, told, hidden, container } of pods(most)) {
    const settings = started(command, { ...told, ...hidden })
    const listening = ['EDGE_PORT', 'WEB_PORT', 'POOL_PORT', 'MONITOR_PORT'].map(
      (port) => settings[port],
    )
    for (const { containerPort } of container.ports) {
      assert.ok(listening.includes(containerPort), `${name}: ${containerPort}`)
    }
  }
})

Chart('a pod that waits for its servers is started anew by nobody, and gets no requests', () => {
  for (const { name, container } of pods(least)) {
    const { startupProbe, livenessProbe, readinessProbe } = container
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
    assert.equal(paths, ['/healthz', '/healthz', '/readyz'], name)
  }
})

Chart('a role has time to leave, and others time to notice', () => {
  for (const { name, command, told, hidden, spec, container } of pods(least)) {
    const settings = started(command, { ...told, ...hidden }) as Record<string, number>
    const { LEAVE_SECONDS = 0, DRAIN_SECONDS } = settings
    const needsMs = DRAIN_SECONDS ? leavingMs({ LEAVE_SECONDS, DRAIN_SECONDS }) : 20_000
    assert.ok(spec.template.spec.terminationGracePeriodSeconds * 1_000 > needsMs, name)
    const { periodSeconds, failureThreshold } = container.readinessProbe
    if (DRAIN_SECONDS) assert.ok(periodSeconds * failureThreshold < LEAVE_SECONDS, name)
  }
})

Chart('only the signing lanes are given their keys', () => {
  const withKeys = pods(least).filter(({ hidden }) => 'LOCKER_PRIVATE_KEY' in hidden)
  assert.equal(
    withKeys.map(({ name, told }) => [name, told.ACTOR_KINDS]),
    [['svc-settlement', 'settlement']],
  )
})

Chart('each budget, policy and autoscaler is of pods that there are', () => {
  const deployments = ofKind(most, 'Deployment')
  const labels = deployments.map(({ spec }) => spec.template.metadata.labels)
  const picks = (selector: Env) =>
    labels.filter((pod) => Object.entries(selector).every(([key, value]) => pod[key] === value))
  for (const { kind, metadata, spec } of most) {
    const selector = { PodDisruptionBudget: spec?.selector?.matchLabels, Service: spec?.selector }
    const policy = { NetworkPolicy: spec?.podSelector?.matchLabels, Deployment: undefined }
    const found: Env | undefined = { ...selector, ...policy }[kind as 'Service']
    if (found) assert.is(picks(found).length, 1, `${kind} ${metadata.name}`)
  }
  for (const { spec } of ofKind(most, 'HorizontalPodAutoscaler')) {
    const target = named(most, 'Deployment', spec.scaleTargetRef.name)
    // Two that set the number of pods would undo each other's work.
    assert.is(target?.spec.replicas, undefined, spec.scaleTargetRef.name)
  }
})

Chart('webhooks go to the public internet by either protocol, but for own networks', async () => {
  const own = 'networkPolicies.privateNetworks={10.0.0.0/8,fd00::/8,2001:db8:7::/48}'
  const policies = ofKind(await render<Found>([...EVERYTHING, '--set', own]), 'NetworkPolicy')
  const rules = policies.flatMap(({ spec }) => spec.egress ?? [])
  const blocks = rules.flatMap(({ to = [] }) => to).flatMap(({ ipBlock }) => ipBlock ?? [])
  assert.equal(
    blocks.filter(({ except }) => except),
    [
      { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] },
      // What is no public address is in neither of the two.
      { cidr: '2000::/3', except: ['2001:db8:7::/48'] },
    ],
  )
})

Chart('autoscaling looks at figures that the roles have', () => {
  const known = readFileSync(join(ROOT, 'src/docs/operating/monitoring.md'), 'utf8')
  const figures = ofKind(most, 'HorizontalPodAutoscaler').flatMap(({ spec }) =>
    spec.metrics.flatMap(({ pods }: { pods?: { metric: { name: string } } }) => pods?.metric ?? []),
  )
  assert.equal(figures.map(({ name }) => name).sort(), [
    'svc_answers_open',
    'svc_jobs_live',
    'svc_pool_queued',
  ])
  for (const { name } of figures) assert.ok(known.includes(name), name)
})

Chart('values that are unknown, secret, or missing are refused', async () => {
  const refused = async (args: readonly string[], why: RegExp) => {
    const words = await render(args).then(
      () => '',
      (error: Error) => error.message,
    )
    assert.match(words, why)
  }
  await refused([...GIVEN, '--set', 'edge.repliccas=2'], /repliccas is not allowed/)
  await refused([...GIVEN, '--set', 'edge.config.NATS_URL=nats://x'], /edge.config/)
  await refused([...GIVEN, '--set', 'actors.config.LOCKER_PRIVATE_KEY=0x1'], /actors.config/)
  await refused([...GIVEN, '--set', 'config.OTEL_EXPORTER_OTLP_HEADERS=api-key=k'], /config/)
  await refused([...GIVEN, '--set', 'web.config.WEB_RELAYER_MAX=1'], /WEB_RELAYER_MAX/)
  await refused([], /contracts is not set/)
})

/** What the chart says by itself, from other values: a setting of that name would be dropped. */
const OWN =
  /^(NATS_REPLICAS|MONITOR_PORT|(LEAVE|DRAIN)_SECONDS|ACTOR_KINDS|POOL_TLS_(CERT|KEY))$|_PORT$/

Chart('a setting that another value says is refused, for all roles and for one', async () => {
  const own = pods(most).flatMap(({ told }) => Object.keys(told).filter((name) => OWN.test(name)))
  assert.equal([...new Set(own)].sort(), [
    ...['ACTOR_KINDS', 'DRAIN_SECONDS', 'EDGE_PORT', 'LEAVE_SECONDS', 'MONITOR_PORT'],
    ...['NATS_REPLICAS', 'POOL_PORT', 'POOL_TLS_CERT', 'POOL_TLS_KEY', 'WEB_PORT'],
  ])
  for (const name of new Set(own)) {
    for (const place of ['config', 'pool.config']) {
      const words = await render([...GIVEN, '--set', `${place}.${name}=1`]).then(
        () => 'taken',
        (error: Error) => error.message,
      )
      assert.match(words, new RegExp(`${place}.*${name}`, 's'), `${place}.${name}`)
    }
  }
})

Chart('what is set for all or for a role arrives, and no word of it is dropped', async () => {
  const file = join(ROOT, 'deploy/helm/values.schema.json')
  const { propertyNames } = JSON.parse(readFileSync(file, 'utf8')).definitions.settings
  const taken: readonly string[] = propertyNames.anyOf[1].enum
  const given = taken.flatMap((name) => ['--set-string', `edge.config.${name}=given-${name}`])
  const [edge] = pods(await render<Found>([...EVERYTHING, ...given])).filter(
    ({ name }) => name === 'svc-edge',
  )
  for (const name of taken) assert.is(edge?.told[name], `given-${name}`)
})

Chart("a role's own value counts before that of all, also 0, false and nothing", async () => {
  const settings: readonly (readonly [name: string, all: string, own: string])[] = [
    ['EDGE_BURST', '200', '0'],
    ['POOL_CANARY', 'true', 'false'],
    ['LOG_LEVEL', 'debug', ''],
  ]
  const given = settings.flatMap(([name, all, own]) => [
    ...['--set', `config.${name}=${all}`],
    ...[own === '' ? '--set-string' : '--set', `edge.config.${name}=${own}`],
  ])
  const found = pods(await render<Found>([...GIVEN, ...given]))
  const toldTo = (role: string) => found.find(({ name }) => name === role)?.told
  for (const [name, all, own] of settings) {
    assert.is(toldTo('svc-edge')?.[name], own)
    assert.is(toldTo('svc-pool')?.[name], all)
  }
})

Chart(
  'the settings that it takes are those of the roles, but for secrets and its own',
  async () => {
    const file = join(ROOT, 'deploy/helm/values.schema.json')
    const { propertyNames } = JSON.parse(readFileSync(file, 'utf8')).definitions.settings
    const taken: readonly string[] = propertyNames.anyOf[1].enum
    const roles = [edgeSchema, webSchema, poolSchema, actorsSchema]
    const all = new Set(roles.flatMap(({ shape }) => Object.keys(shape)))
    assert.equal(taken, [...all].filter((name) => !SECRET.test(name) && !OWN.test(name)).sort())
    await render(['--set', 'config.NODE_OPTIONS=--max-old-space-size=700', ...GIVEN])
  },
)

Chart('a role can be of another version than the rest: edges are upgraded first', async () => {
  const [before, between] = await Promise.all(
    [[], ['--set', 'edge.tag=0.2.0']].map((more) =>
      render<Found>([...GIVEN, '--set', 'image.tag=0.1.9', ...more]),
    ),
  )
  const images = (manifests: readonly Found[]) =>
    pods(manifests).map(({ name, spec }) => [name, spec.template.spec.containers[0].image])
  assert.equal(new Set(images(before!).map(([, image]) => image)).size, 1)
  assert.equal(
    images(between!),
    images(before!).map(([name, image]) => [
      name,
      name === 'svc-edge' ? 'prepaid-inference:0.2.0' : image,
    ]),
  )
  // The rest is not so much as restarted.
  const template = (manifests: readonly Found[]) =>
    named(manifests, 'Deployment', 'svc-actors')!.spec.template
  assert.equal(template(between!), template(before!))
})

Chart('every value says what it is', () => {
  const file = join(ROOT, 'deploy/helm/values.yaml')
  assert.ok(existsSync(file))
  const top = Object.keys(parse(readFileSync(file, 'utf8')))
  const schema = JSON.parse(readFileSync(join(ROOT, 'deploy/helm/values.schema.json'), 'utf8'))
  for (const name of top) assert.ok(name in schema.properties, name)
})

Chart.run()
