import type { Manifest } from './helm.ts'

interface Validator {
  validate: ((data: unknown) => boolean) & { readonly errors?: readonly Fault[] | null }
}
interface Fault {
  readonly instancePath: string
  readonly keyword: string
  readonly params: object
}

/**
 * What Kubernetes would refuse of a manifest, or drop without a word: what has another type than its API
 * says, what is missing, and fields that its API does not know.
 */
export async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { validate }: Validator = await import(`kubernetes-models/_schemas/${nameOf(manifest)}`)
  const unread: (() => string[])[] = []
  const where = `${manifest.kind} ${manifest.metadata.name}`
  // The schemas allow what they do not name, but whoever checks by them asks for all that they do.
  if (!validate(watched(manifest, '', unread)))
    return (validate.errors ?? []).map(
      ({ instancePath, keyword, params }) =>
        `${where}: ${instancePath} ${keyword} ${JSON.stringify(params)}`,
    )
  return unread.flatMap((look) => look()).map((path) => `${where}: there is no ${path}`)
}

function nameOf({ apiVersion, kind }: Manifest): string {
  const [version = '', group = 'core'] = apiVersion.split('/').reverse()
  return `IoK8sApi${capital(group.split('.')[0]!)}${capital(version)}${kind}`
}
const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`

/** The same value; `unread` then says which of its fields nobody asked for. */
function watched(value: unknown, path: string, unread: (() => string[])[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const fields = new Map<string, unknown>()
  unread.push(() =>
    Object.keys(value)
      .filter((name) => !fields.has(name))
      .map((name) => `${path}/${name}`),
  )
  return new Proxy(value, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name)
      if (typeof name !== 'string' || !Object.hasOwn(target, name)) return found
      if (!fields.has(name)) fields.set(name, watched(found, `${path}/${name}`, unread))
      return fields.get(name)
    },
  })
}
