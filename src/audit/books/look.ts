import { type CodeFinding, codeInWords, compareCode } from '../chain/code.ts'
import { type Chain, readWhole } from '../chain/connect.ts'
import { compare, type Service } from './compare.ts'
import { type Difference, differ } from './difference.ts'
import { type ChainReading, readChain } from './read-chain.ts'
import { readJournal } from './read-journal.ts'
import { readViews } from './read-views.ts'

export interface AuditLook extends ChainReading {
  readonly service: Service
  readonly code: CodeFinding
  readonly differences: readonly Difference[]
}

interface Sources {
  readonly chain: Chain
  readonly natsUrl: string
  readonly redisUrl: string
}

/** One look at everything. The chain comes last: what the service says has happened there before. */
export async function look({ chain, natsUrl, redisUrl }: Sources): Promise<AuditLook> {
  const views = await readViews(redisUrl)
  const journal = await readJournal(natsUrl, chain)
  const { reading, code } = await readWhole(chain, async () => ({
    reading: await readChain(chain),
    code: await compareCode(chain),
  }))
  const service = { ...views, ...journal }
  return {
    ...reading,
    service,
    code,
    differences: [
      ...reading.differences,
      ...(code.type === 'other' ? [differ('code', codeInWords(code))] : []),
      ...journal.differences,
      ...views.differences,
      ...compare(reading.books, service),
    ],
  }
}
