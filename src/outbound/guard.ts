import { err, ok, type Result } from '../domain/result.ts'
import type { WebhookTargets } from '../ports/webhook-sender.ts'
import type { Resolve } from './resolver.ts'
import { isLocalName, mayReach, parseTarget, type Target, type TargetRules } from './target.ts'

/** Stands between strangers' URLs and our network. */
export interface Guard extends WebhookTargets {
  /** Where a delivery may connect to at this moment, or the reason why nowhere. */
  admit(url: string): Promise<Result<Admitted, string>>
}

export interface Admitted {
  readonly target: Target
  /** All were looked at: whichever of them is connected to may be. */
  readonly addresses: readonly string[]
}

interface Options extends TargetRules {
  readonly resolve: Resolve
}

const LOOPBACK = ['127.0.0.1', '::1']

export function makeGuard({ resolve, ...rules }: Options): Guard {
  const addressesOf = async ({ host, isAddress }: Target): Promise<readonly string[]> => {
    if (isAddress) return [host]
    // Only where the rules let such a name pass at all.
    return isLocalName(host) ? LOOPBACK : resolve(host)
  }

  return {
    check: async (url) => {
      const target = parseTarget(url, rules)
      if (!target.ok) return target
      const { host } = target.value
      let addresses: readonly string[]
      try {
        addresses = await addressesOf(target.value)
      } catch {
        // Nobody could tell. That is no fault of the URL: each delivery looks again.
        return ok(undefined)
      }
      // A machine that is developed on may be one without names.
      if (addresses.length === 0 && rules.devTargets) return ok(undefined)
      if (addresses.length === 0) {
        return err(`The host \`${host}\` of \`url\` does not resolve. Check its spelling.`)
      }
      if (!addresses.every((address) => mayReach(address, rules))) {
        return err(
          `The host \`${host}\` of \`url\` resolves to an address that is not public. Give one that the internet reaches.`,
        )
      }
      return ok(undefined)
    },

    admit: async (url) => {
      const target = parseTarget(url, rules)
      if (!target.ok) return target
      let addresses: readonly string[]
      try {
        addresses = await addressesOf(target.value)
      } catch {
        return err('the host could not be resolved')
      }
      if (addresses.length === 0) return err('the host does not resolve')
      // One that is not public among them is enough: who writes such a record means no good.
      if (!addresses.every((address) => mayReach(address, rules))) {
        return err('the host resolves to an address that is not public')
      }
      return ok({ target: target.value, addresses })
    },
  }
}
