import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A file of the built app, as it is sent. */
export interface StaticFile {
  readonly type: string
  readonly etag: string
  /** Its name changes with its content. */
  readonly isImmutable: boolean
  /** In the best form that `accepted` (an accept-encoding header) names. */
  body(accepted: string): Promise<StaticBody>
}
export interface StaticBody {
  readonly encoding: 'br' | 'gzip' | 'identity'
  readonly bytes: Buffer
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}
const COMPRESSED_ALREADY: ReadonlySet<string> = new Set(['.png', '.ico', '.woff2'])

/**
 * Reads the built app into memory: it is small, and no path of a request ever reaches the disk. Each
 * file is compressed when it is first asked for. @returns files by path, such as /index.html
 */
export function readStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return new Map()
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(
    paths
      // What begins with a dot is the builder's own.
      .filter((path) => !path.split(sep).some((name) => name.startsWith('.')))
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [`/${path.split(sep).join('/')}`, readStaticFile(folder, join(folder, path))]),
  )
}

function readStaticFile(folder: string, path: string): StaticFile {
  const bytes = readFileSync(path)
  const extension = extname(path)
  const compressed = COMPRESSED_ALREADY.has(extension) ? {} : compressor(bytes)
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    isImmutable: relative(folder, path).startsWith(`assets${sep}`),
    body: async (accepted) => {
      for (const encoding of ['br', 'gzip'] as const) {
        const compress = compressed[encoding]
        if (compress && accepts(accepted, encoding)) return { encoding, bytes: await compress() }
      }
      return { encoding: 'identity', bytes }
    },
  }
}

type Compressor = Partial<Record<'br' | 'gzip', () => Promise<Buffer>>>

function compressor(bytes: Buffer): Compressor {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 10,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return {
    br: once(() => promisify(brotliCompress)(bytes, { params })),
    gzip: once(() => promisify(gzip)(bytes, { level: 9 })),
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** `br;q=0` says that it is not taken. */
const accepts = (header: string, encoding: string): boolean =>
  header.split(',').some((part) => {
    const [name, ...params] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === encoding && !params.some((param) => /^q=0(?:\.0*)?$/.test(param))
  })
