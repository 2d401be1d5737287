import { z } from 'zod'
import { refuseMisspelt } from '../config/misspelt.ts'
import { readConfig } from '../config/read.ts'
import { naming } from '../config/shared-settings.ts'
import { OperatorError } from '../domain/operator-error.ts'
import { serviceNames } from '../domain/service-names.ts'
import { dataDirAt } from './data/data-dir.ts'
import { startNetwork } from './launch.ts'
import { curlWithoutProxy, loopbackWithoutProxy } from './no-proxy.ts'
import { parseOptions, USAGE, UsageError } from './options.ts'
import { whenAskedToStop } from './processes/stopping.ts'
import { makeScreen } from './screen.ts'

/** The launcher: starts a network, keeps it running, and ends all of it when asked to. */
export async function launch({ root, startedIn, startedBy, build }: LaunchOptions): Promise<void> {
  const { options, names } = readOptions(startedIn)
  // Before it is changed: what is shown to paste is for the shell that this was started from.
  const curlOptions = curlWithoutProxy(process.env)
  Object.assign(process.env, loopbackWithoutProxy(process.env))
  // Whoever read what is shown may have gone; that is no reason to end the network.
  process.stdout.on('error', () => {})
  const screen = makeScreen(process.stdout, () => performance.now())
  const dir = dataDirAt(options.dataDir)
  const network = startNetwork({ root, build, options, names, dir, screen, curlOptions })
  const end = async (exitCode: number) => {
    await network.stop()
    screen.close()
    process.exit(exitCode)
  }
  const fail = async (error: unknown) => {
    // What breaks while everything ends is of no use to anyone.
    if (network.isStopping()) return
    screen.note(`✗ ${error instanceof Error ? error.message : String(error)}`)
    await end(1)
  }
  whenAskedToStop({
    startedBy,
    stop: () => {
      screen.note('stopping …')
      return end(0)
    },
    kill: () => {
      network.kill()
      process.exit(130)
    },
  })
  // Like a full disk or a data directory that was removed: end in order, leave nothing running.
  process.on('uncaughtException', fail)
  await network.ready.catch(fail)
}

export interface LaunchOptions {
  /** Folder of package.json. */
  readonly root: string
  /** Where the operator is; a relative data directory is meant from here. */
  readonly startedIn: string
  /** Process that started this one. */
  readonly startedBy: number
  /** The bundles that all processes run, those that are started again too. */
  readonly build: string
}

function readOptions(startedIn: string) {
  try {
    const options = parseOptions(process.argv.slice(2), startedIn)
    // The roles would end with it one by one.
    if (options !== 'help') {
      refuseMisspelt(process.env)
      const { SERVICE_PREFIX } = readConfig(z.object(naming), process.env)
      return { options, names: serviceNames(SERVICE_PREFIX) }
    }
    process.stdout.write(USAGE)
    process.exit(0)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const usage = error instanceof UsageError ? `\n${USAGE}` : ''
    process.stderr.write(`${error.message}\n${usage}`)
    process.exit(2)
  }
}
