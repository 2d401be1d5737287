import { randomBytes } from 'node:crypto'
import { ConfigError, privateKey } from '../../config/read.ts'
import { toBytes } from '../../domain/bytes.ts'
import type { Settings } from '../cli/settings.ts'
import { decryptKey } from '../key/keystore.ts'
import {
  createKey,
  existingAddress,
  givenPassword,
  keyOf,
  type WorkerKey,
} from '../key/open-key.ts'
import { askSecret, canAsk } from '../key/prompt.ts'

const ACTIONS = ['new', 'import', 'show'] as const

/** `keys new | import | show`: never prints a key, only addresses. */
export async function keys(settings: Settings, action: string): Promise<string> {
  switch (action) {
    case 'new':
      return written(settings, await createKey(settings, randomBytes(32)))
    case 'import':
      return written(settings, await importKey(settings))
    case 'show':
      return show(settings)
    default:
      throw new ConfigError(`there is no keys ${action}; there are ${ACTIONS.join(', ')}`)
  }
}

const written = ({ WORKER_KEYSTORE }: Settings, { address }: WorkerKey): string =>
  `${address}\nencrypted in ${WORKER_KEYSTORE}. Keep a copy: nobody can make it again`

/** From WORKER_PRIVATE_KEY, standard input (hexadecimal, or another keystore), or a question. */
async function importKey(settings: Settings): Promise<WorkerKey> {
  const given = settings.WORKER_PRIVATE_KEY ?? (await givenKey())
  if (!given.startsWith('{')) {
    const parsed = privateKey().safeParse(given.startsWith('0x') ? given : `0x${given}`)
    if (!parsed.success) throw new ConfigError('a private key is 0x and 64 hexadecimal digits')
    return createKey(settings, keyOf(toBytes(`0x${parsed.data.slice(2)}`)).bytes)
  }
  // The file that is written opens with the same password.
  const password = await givenPassword(settings)
  if (password === undefined) {
    throw new ConfigError(
      'to import a keystore give its password: --password-file, WORKER_PASSWORD',
    )
  }
  const bytes = await decryptKey(given, password).catch((error: Error) => {
    throw new ConfigError(`the keystore given: ${error.message}`)
  })
  return createKey(settings, bytes)
}

async function givenKey(): Promise<string> {
  if (canAsk()) return (await askSecret('private key (hexadecimal)')).trim()
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part)
  return Buffer.concat(parts).toString('utf8').trim()
}

function show(settings: Settings): string {
  const { WORKER_PRIVATE_KEY, WORKER_KEYSTORE } = settings
  const from = WORKER_PRIVATE_KEY ? 'from WORKER_PRIVATE_KEY' : `in ${WORKER_KEYSTORE}`
  return `${existingAddress(settings)}\n${from}`
}
