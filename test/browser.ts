import { existsSync } from 'node:fs'
import { install } from '../src/network/programs/install-programs.ts'
import { findOnPath } from '../src/network/programs/on-path.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const APPLICATIONS = ['Google Chrome', 'Chromium'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)

/** A Chrome or Chromium of this machine, or the one that CHROME_PATH names. */
const findBrowser = (): string | undefined =>
  process.env.CHROME_PATH ||
  NAMES.map(findOnPath).find((path) => path !== undefined) ||
  APPLICATIONS.find((path) => existsSync(path))

/** @throws saying how to get one, where it can neither be found nor installed */
export async function requireBrowser(say: (line: string) => void): Promise<string> {
  const found = findBrowser()
  if (found) return found
  await install(['chromium'], say)
  const installed = findBrowser()
  if (installed) return installed
  throw new Error(
    'chromium was installed and is not found: set CHROME_PATH to a Chrome or Chromium.',
  )
}
