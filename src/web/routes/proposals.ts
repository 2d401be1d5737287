import type { FastifyInstance } from 'fastify'
import { isoTimestamp } from '../../domain/time.ts'
import type { ChainProposal, NetworkReader } from '../../ports/network-chain.ts'
import { wholeTokens } from '../network/amounts.ts'
import type { Proposal } from '../workers-api.ts'

interface Options {
  readonly networkReader: Pick<NetworkReader, 'proposals'>
}

/** For everybody: the chain tells it to everybody. */
export function proposals(server: FastifyInstance, { networkReader }: Options): void {
  server.get('/api/proposals', async (): Promise<{ data: readonly Proposal[] }> => {
    return { data: (await networkReader.proposals()).map(publicProposal) }
  })
}

const publicProposal = (proposal: ChainProposal): Proposal => ({
  id: String(proposal.id),
  description: proposal.description,
  state: proposal.state,
  model: proposal.model,
  votes: {
    for: wholeTokens(proposal.votes.for),
    against: wholeTokens(proposal.votes.against),
    abstain: wholeTokens(proposal.votes.abstain),
  },
  voting_begins_at: isoTimestamp(proposal.beginsAt),
  voting_ends_at: isoTimestamp(proposal.endsAt),
  executable_at: proposal.executableAt === null ? null : isoTimestamp(proposal.executableAt),
  tx: proposal.tx,
})
