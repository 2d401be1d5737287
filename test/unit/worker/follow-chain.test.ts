import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../../../src/config/read.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import type { Chain } from '../../../src/worker/chain/chain.ts'
import { followChain } from '../../../src/worker/chain/follow.ts'
import type { WorkerFacts } from '../../../src/worker/chain/worker-facts.ts'
import { readSettings } from '../../../src/worker/cli/settings.ts'
import { startingReport } from '../../../src/worker/status/report.ts'
import { until } from '../../until.ts'

const Follow = suite('worker: what it shows of the chain')

const WORKER = toAddress(`0x${'ab'.repeat(20)}`)
const settings = readSettings({
  flags: { home: '/nowhere', pool: '127.0.0.1:1', rpc: 'http://127.0.0.1:2' },
  env: { HOME: '/nowhere' },
  file: undefined,
})

/** An agent whose pool, and what that pool names, can be changed while it runs. */
function followed() {
  const now = { pool: null as string | null, named: 'old', refuses: false }
  const told: string[] = []
  const lines: string[] = []
  let opened = 0
  const stop = followChain({
    ...{
      settings,
      everyMs: 1,
      log: makeLog('test', 'warn', { write: (line) => lines.push(line) }),
    },
    agent: {
      report: () => ({ ...startingReport(WORKER, 1), poolName: now.pool }),
      tellChain: ({ earnedUnits }) => void told.push(earnedUnits),
    },
    open: async () => {
      opened++
      if (now.refuses) throw new ConfigError('the pool names other contracts than before')
      return { named: now.named } as unknown as Chain
    },
    read: async (chain) =>
      ({ earnedUnits: (chain as unknown as { named: string }).named }) as WorkerFacts,
  })
  const since = () => {
    const from = told.length
    return until('some looks', () => told.length > from + 3).then(() => told.slice(from + 2))
  }
  return { now, told, lines, since, stop, opened: () => opened }
}

Follow('a network that has moved while it ran is followed to the new contracts', async () => {
  const agent = followed()
  try {
    agent.now.pool = 'pool-1'
    assert.equal(new Set(await agent.since()), new Set(['old']))
    Object.assign(agent.now, { pool: 'pool-2', named: 'new' })
    assert.equal(new Set(await agent.since()), new Set(['new']))
  } finally {
    agent.stop()
  }
})

Follow('one pool is asked once, also where it is away for a while', async () => {
  const agent = followed()
  try {
    agent.now.pool = 'pool-1'
    await agent.since()
    const before = agent.opened()
    agent.now.pool = null
    await agent.since()
    agent.now.pool = 'pool-1'
    await agent.since()
    assert.is(agent.opened(), before)
  } finally {
    agent.stop()
  }
})

Follow('contracts that nobody has agreed to are not shown, until somebody has', async () => {
  const agent = followed()
  try {
    agent.now.pool = 'pool-1'
    await agent.since()
    Object.assign(agent.now, { pool: 'pool-2', named: 'new', refuses: true })
    await until('it says so', () => agent.lines.some((line) => /other contracts/.test(line)))
    const told = agent.told.length
    const opened = agent.opened()
    await until('it asks again', () => agent.opened() > opened + 2)
    assert.is(agent.told.length, told)

    agent.now.refuses = false
    assert.equal(new Set(await agent.since()), new Set(['new']))
  } finally {
    agent.stop()
  }
})

Follow.run()
