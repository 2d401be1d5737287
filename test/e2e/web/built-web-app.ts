import { resolve } from 'node:path'
import { buildWebApp, webAppIsCurrent } from '../../../src/network/web-app.mjs'

const ROOT = resolve(import.meta.dirname, '../../..')

/** The pages as they are now: whoever serves them serves what is built. */
export async function builtWebApp(): Promise<void> {
  if (!webAppIsCurrent(ROOT)) await buildWebApp(ROOT)
}
