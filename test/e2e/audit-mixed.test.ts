import { suite } from 'uvu'
import { type Network, startNetwork } from '../network/network.ts'
import { mixedLifeWithRightBooks } from './mixed/mixed-books.ts'
import { MIXED_NETWORK } from './mixed/mixed-life.ts'

const Mixed = suite('audit of a mixed life')

let network: Network
Mixed.before(async () => {
  network = await startNetwork(MIXED_NETWORK)
})
Mixed.after(() => network?.stop())

Mixed('every kind of job and every way of money: the books are right', () =>
  mixedLifeWithRightBooks(network),
)

Mixed.run()
