import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { readConfig } from '../config/read.ts'
import { naming } from '../config/shared-settings.ts'
import { OperatorError } from '../domain/operator-error.ts'
import { type ServiceNames, serviceNames } from '../domain/service-names.ts'
import { SECRET_BYTES, webhookSecret } from '../domain/webhook-secret.ts'
import { type ListenOptions, readOptions, USAGE } from './command-line.ts'
import { followEvents } from './event-stream.ts'
import { forward } from './forward.ts'
import { StopListening } from './stop-listening.ts'

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

async function listen(options: ListenOptions, names: ServiceNames): Promise<void> {
  const { baseUrl, apiKey, events, forwardTo } = options
  const url = new URL(`${baseUrl}/events`)
  if (events !== undefined) url.searchParams.set('events', events)
  // No base64 and no prefix that libraries know: its bytes as they stand are the key.
  const secret = options.secret ?? webhookSecret(randomBytes(SECRET_BYTES))
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())

  if (forwardTo !== undefined && options.secret === undefined) {
    say(`Signing secret: ${secret}`)
    say('Give it to your endpoint; it is made anew each time, unless you pass --secret.')
  }
  await followEvents({
    url: url.href,
    apiKey,
    signal: end.signal,
    onOpen: () => say(`Listening to ${baseUrl}${forwardTo ? `, sending on to ${forwardTo}` : ''}`),
    onEvent: async (body) => {
      const { id, event, created_at } = JSON.parse(body)
      const sent =
        forwardTo === undefined
          ? ''
          : `  → ${await forward({ url: forwardTo, secret, eventId: id, body, names })}`
      say(`${created_at}  ${event}  ${id}${sent}`)
    },
    onTrouble: (reason, waitMs) =>
      say(`Not connected: ${reason}. Trying again in ${waitMs / 1_000} s.`),
  })
}

try {
  const names = serviceNames(readConfig(z.object(naming), process.env).SERVICE_PREFIX)
  const options = readOptions(process.argv.slice(2), process.env, names)
  if (options) await listen(options, names)
  else process.stdout.write(USAGE)
} catch (error) {
  const isSaid = error instanceof StopListening || error instanceof OperatorError
  const said = isSaid ? error.message : (error as Error)?.stack
  process.stderr.write(`${said ?? String(error)}\n`)
  process.exitCode = 1
}
