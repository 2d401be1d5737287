import { z } from 'zod'
import { address, privateKey } from './read.ts'

type Role = 'LOCKER' | 'SETTLER'

/** Of one signing role: the key itself, or where a program listens that keeps it. */
export const signerSettings = <Name extends Role>(role: Name, of: string) =>
  ({
    [`${role}_PRIVATE_KEY`]: privateKey()
      .optional()
      .describe(`key of the ${of}; or ${role}_SIGNER_URL and ${role}_ADDRESS`),
    [`${role}_SIGNER_URL`]: z
      .url({ protocol: /^https?$/, message: 'must be an http or https address' })
      .optional()
      .describe(`JSON-RPC of the external signer of the ${of}, such as Web3Signer or clef`),
    [`${role}_ADDRESS`]: address()
      .optional()
      .describe(`address whose key ${role}_SIGNER_URL signs with`),
  }) as SignerSettings<Name>

type Optional<Schema extends z.ZodType> = z.ZodOptional<Schema>
type SignerSettings<Name extends Role> = Record<
  `${Name}_PRIVATE_KEY` | `${Name}_SIGNER_URL` | `${Name}_ADDRESS`,
  Optional<z.ZodString>
>

/** Each role signs with its key, or through its signer: not both, not neither. */
export const exactlyOneSigner =
  (...roles: readonly Role[]) =>
  (config: object, context: z.RefinementCtx): void => {
    const values = config as Readonly<Record<string, string | undefined>>
    for (const role of roles) {
      const [key, url, address] = [`${role}_PRIVATE_KEY`, `${role}_SIGNER_URL`, `${role}_ADDRESS`]
      const complain = (name: string, message: string) =>
        context.addIssue({ code: 'custom', path: [name], message })
      if (values[key] && values[url]) complain(key, `must not be set beside ${url}`)
      else if (!values[key] && !values[url]) complain(key, `must be set, or ${url} and ${address}`)
      else if (values[url] && !values[address]) complain(address, `must be set with ${url}`)
      else if (values[key] && values[address]) complain(address, `goes with ${url} only`)
    }
  }

/** One order of nonces a key: two that send with the same one take each other's nonces. */
const SENDERS = ['LOCKER', 'SETTLER', 'KEEPER'] as const

/** Each lane, and the keeper beside them, sends with a key of its own. */
export function sendersDiffer(config: object, context: z.RefinementCtx): void {
  const values = config as Readonly<Record<string, string | undefined>>
  for (const [place, sender] of SENDERS.entries()) {
    for (const setting of ['PRIVATE_KEY', 'ADDRESS']) {
      const name = `${sender}_${setting}`
      const value = values[name]?.toLowerCase()
      const before = SENDERS.slice(0, place).map((other) => `${other}_${setting}`)
      const same = value && before.find((other) => values[other]?.toLowerCase() === value)
      if (same)
        context.addIssue({ code: 'custom', path: [name], message: `must be another than ${same}` })
    }
  }
}
