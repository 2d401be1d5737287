// Leaves in package.json what the roles import when they run, so that `npm ci` installs nothing else:
// no compiler of contracts, no development chain, nothing that only the browser needs. What is listed
// here is what they import: test/unit/deploy/image.test.ts compares.
import { readFileSync, writeFileSync } from 'node:fs'

export const RUNTIME_PACKAGES = [
  '@bufbuild/protobuf',
  '@fastify/cookie',
  '@grpc/grpc-js',
  '@noble/hashes',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  '@sinclair/typebox',
  'fastest-levenshtein',
  'fastify',
  'hash-wasm',
  'ioredis',
  'marked',
  'msgpackr',
  'nats',
  'pino',
  'prom-client',
  'reflect-metadata',
  'secp256k1',
  'tsyringe',
  'undici',
  'viem',
  'zod',
]

/** @param {{ dependencies: Record<string, string> }} manifest of the whole project */
export function runtimeManifest({ devDependencies: _, ...manifest }) {
  const dependencies = Object.fromEntries(
    RUNTIME_PACKAGES.map((name) => [name, manifest.dependencies[name]]),
  )
  return { ...manifest, dependencies }
}

const [, , file] = process.argv
if (import.meta.filename === process.argv[1] && file) {
  const manifest = runtimeManifest(JSON.parse(readFileSync(file, 'utf8')))
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}
