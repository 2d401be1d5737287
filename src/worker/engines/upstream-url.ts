import { ConfigError } from '../../config/read.ts'

/**
 * The base address of an upstream as the operator gives it, without a slash at its end.
 * @throws {ConfigError} where it is none, or has a password in it: addresses are logged
 */
export function upstreamBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  if (isHttp && !parsed.username && !parsed.password) {
    if (!/[?#]/.test(url)) return url.replace(/\/+$/, '')
    throw new ConfigError(
      `--upstream ${parsed.origin}${parsed.pathname} has more behind it (? or #), where the agent puts ` +
        '/models and /chat/completions: give the address alone',
    )
  }
  // Not quoted then: `user:password@host` is no address, and holds a password all the same.
  if (url.includes('@')) {
    throw new ConfigError(
      '--upstream has a user or a password in it: give the address alone, and the key that the ' +
        'server wants as UPSTREAM_API_KEY, or as "upstream-api-key" in the settings file',
    )
  }
  throw new ConfigError(
    `--upstream ${url} is not usable: give http://host:port/v1 or https://host:port/v1`,
  )
}
