// `npm run build:worker`: the operator's agent as one file, for machines that have Node and nothing
// else of this repository.
import { chmodSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../../..')
const outfile = resolve(process.argv[2] ?? join(root, 'dist', 'svc-worker.mjs'))

await build({
  entryPoints: [join(root, 'src', 'worker', 'main.ts')],
  outfile,
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  // Packages of CommonJS ask for these by name.
  banner: {
    js: [
      '#!/usr/bin/env node',
      "import { createRequire as __createRequire } from 'node:module'",
      "import { fileURLToPath as __fileURLToPath } from 'node:url'",
      'const require = __createRequire(import.meta.url)',
      'const __filename = __fileURLToPath(import.meta.url)',
      "const __dirname = __fileURLToPath(new URL('.', import.meta.url))",
    ].join('\n'),
  },
  alias: { secp256k1: join(here, 'secp256k1.ts') },
  // Optional, and the operator's own.
  external: ['node-llama-cpp'],
})
chmodSync(outfile, 0o755)
process.stdout.write(`${outfile}: ${(statSync(outfile).size / 1024 / 1024).toFixed(1)} MB\n`)
