import type { Hex } from 'viem'
import { readArtifact } from '../../contracts/build.ts'
import { checkRoles } from './check-roles.ts'
import { checkModels, checkTerms } from './check-terms.ts'
import { type CodeVerdict, compareCode, immutableWords } from './code.ts'
import { type DeployedName, KEY_OF } from './constructors.ts'
import type { Deployed, Finding } from './finding.ts'
import { expectedImmutables } from './immutables.ts'

/** Compares all that is deployed with the build and with what was asked for. Needs the build. */
export async function checkDeployment(asked: Deployed): Promise<readonly Finding[]> {
  const { token } = asked.settings
  const at = token === 'development' ? asked.at : { ...asked.at, usdg: token }
  const deployed = { ...asked, at }
  const code = await checkCode(deployed)
  // What other code answers proves nothing, and may be no answer at all.
  if (code.some(({ holds }) => !holds)) return code
  return [
    ...code,
    ...(await checkValues(deployed)),
    ...(await checkTerms(deployed)),
    ...(await checkModels(deployed)),
    ...(await checkRoles(deployed)),
  ]
}

const IN_WORDS: Readonly<Record<CodeVerdict, string>> = {
  equal: 'equal',
  metadata: 'equal, built from sources with other comments or paths',
  different: 'different',
  missing: 'no code',
}

async function checkCode(deployed: Deployed): Promise<Finding[]> {
  return Promise.all(
    contractsOf(deployed).map(async ([name]) => {
      const verdict = compareCode(await codeOf(deployed, name), await readArtifact(name))
      const holds = verdict === 'equal' || verdict === 'metadata'
      return { what: `${name}: code`, asked: 'equal', found: IN_WORDS[verdict], holds }
    }),
  )
}

/** All immutables, also those that no function tells. */
async function checkValues(deployed: Deployed): Promise<Finding[]> {
  return Promise.all(
    contractsOf(deployed).map(async ([name, words]) => {
      const found = immutableWords(await codeOf(deployed, name), await readArtifact(name))
      const other = without(found, words)
      const asked = `the ${words.length} that were asked for`
      const what = `${name}: values in the code`
      const holds = other.length === 0
      return { what, asked, found: holds ? asked : `also ${other.join(', ')}`, holds }
    }),
  )
}

/** Each contract, and the words that its immutables have to be. */
const contractsOf = ({ settings, at, chainId }: Deployed) =>
  Object.entries(expectedImmutables(settings, at, chainId)) as [DeployedName, readonly Hex[]][]

const codeOf = async ({ reader, at }: Deployed, name: DeployedName): Promise<Hex> =>
  (await reader.getCode({ address: at[KEY_OF[name]] })) ?? '0x'

/** What is in `found` more often than in `expected`. Both are of one length. */
function without(found: readonly Hex[], expected: readonly Hex[]): readonly Hex[] {
  const rest = [...expected]
  return found.filter((word) => {
    const at = rest.indexOf(word)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}
