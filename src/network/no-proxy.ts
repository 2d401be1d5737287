type Env = Readonly<Record<string, string | undefined>>

const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'grpc_proxy']
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

/**
 * What to add to `env`, so that the parts of a network find one another on a machine that reaches the world
 * by a proxy: the loopback of that proxy is another one. Nothing where no proxy is named.
 */
export function loopbackWithoutProxy(env: Env): Readonly<Record<string, string>> {
  if (!PROXIES.some((name) => env[name] || env[name.toUpperCase()])) return {}
  // Some read the one, some the other first.
  const exceptions = withLoopback([env.no_proxy, env.NO_PROXY])
  return {
    ...{ no_proxy: exceptions, NO_PROXY: exceptions },
    // Where it is there, gRPC reads this one alone.
    ...(env.no_grpc_proxy && { no_grpc_proxy: withLoopback([env.no_grpc_proxy]) }),
  }
}

/** What a curl in the operator's shell has to be told. It does not read `HTTP_PROXY` in capitals. */
export function curlWithoutProxy(env: Env): string {
  const hasProxy = Boolean(env.http_proxy || env.all_proxy || env.ALL_PROXY)
  const exceptions = entriesOf(env.no_proxy || env.NO_PROXY)
  const isExcepted = exceptions.includes('127.0.0.1') || exceptions.includes('*')
  return hasProxy && !isExcepted ? " --noproxy '*'" : ''
}

const withLoopback = (lists: readonly (string | undefined)[]): string =>
  [...new Set([...lists.flatMap(entriesOf), ...LOOPBACK])].join(',')

const entriesOf = (list = ''): readonly string[] => list.split(/[\s,]+/).filter(Boolean)
