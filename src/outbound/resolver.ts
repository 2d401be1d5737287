import { Resolver } from 'node:dns/promises'
import { codeOf } from './failure-text.ts'

/**
 * All addresses of a name, as the public name system tells them. @returns none where there is no such
 * name @throws it could not be asked
 */
export type Resolve = (host: string) => Promise<readonly string[]>

const TIMEOUT_MS = 2_000
const TRIES = 2
/** The name exists without such addresses, or it does not, or its own servers are broken. */
const NO_ADDRESS = new Set(['ENODATA', 'ENOTFOUND', 'ESERVFAIL', 'EBADNAME', 'EBADRESP'])

/**
 * Asks by itself instead of the system's resolver: that one runs in a few threads which every file
 * operation shares, so that a stranger's slow name server would hold up everybody's deliveries; and it
 * heeds search domains and the hosts file, which lead inside.
 */
export function makeResolver(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  const ask = async (question: Promise<readonly string[]>): Promise<readonly string[]> => {
    try {
      return await question
    } catch (error) {
      if (NO_ADDRESS.has(codeOf(error))) return []
      throw error
    }
  }
  return async (host) => {
    const answers = await Promise.allSettled([
      ask(resolver.resolve6(host)),
      ask(resolver.resolve4(host)),
    ])
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    )
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (addresses.length === 0 && failed) throw failed.reason
    return addresses
  }
}
