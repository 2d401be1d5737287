import { suite } from 'uvu'
import { mixedLifeWithRightBooks } from '../e2e/mixed/mixed-books.ts'
import { MIXED_NETWORK } from '../e2e/mixed/mixed-life.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { pause } from '../until.ts'
import { type NatsCluster, startNatsCluster } from './nats-cluster.ts'

/** The same as `test/e2e/audit-mixed.test.ts`, while the server that leads the journal dies and comes back. */
const Money = suite('money flows on a NATS cluster')
const START_MS = 480_000
/** For how long two servers go on alone. */
const AWAY_MS = 8_000

let cluster: NatsCluster
let network: Network
Money.before(async () => {
  cluster = await startNatsCluster()
  network = await startNetwork({
    startPatienceMs: START_MS,
    env: { ...MIXED_NETWORK.env, ...cluster.env },
  })
})
Money.after(async () => {
  await network?.stop()
  await cluster?.stop()
})

Money(
  'every kind of job and every way of money, and a leader dies: the books are right',
  async () => {
    let begin = () => {}
    const middle = new Promise<void>((resolve) => {
      begin = resolve
    })
    const life = mixedLifeWithRightBooks(network, begin)
    const death = async () => {
      await Promise.race([middle, life])
      const leader = await cluster.leaderOf('JOB')
      await cluster.end(leader, 'SIGKILL')
      await pause(AWAY_MS)
      await cluster.start(leader)
      await cluster.untilWhole()
    }
    await Promise.all([life, death()])
  },
)

Money.run()
