import { Agent } from '../../../src/worker/agent.ts'
import type { Engine } from '../../../src/worker/engine.ts'
import { OpenAiEngine } from '../../../src/worker/engines/openai.ts'
import { parseWantedModels } from '../../../src/worker/engines/upstream-models.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { SOON_MS, until } from '../../until.ts'
import { type House, inHouse } from './house.ts'
import { Relay } from './relay.ts'
import { identity, log } from './stage.ts'

/** A house whose agent reaches the pool over a way that can fail. */
export interface CuttableHouse extends House {
  readonly relay: Relay
  /** A real agent behind the relay, connected. It asks the upstream, or the engine given. */
  connect(engine?: Engine): Promise<Agent>
}

export const inCuttableHouse = (play: (house: CuttableHouse) => Promise<void>) =>
  inHouse(async (house) => {
    const { stage, upstream } = house
    const relay = await new Relay(stage.url).open()
    const agents: Agent[] = []
    const connect = async (engine?: Engine) => {
      const agent = new Agent({
        pools: async () => [{ target: relay.url, tls: false }],
        identity: identity(1),
        engine: engine ?? askingEngine(upstream.url),
        slots: 4,
        region: 'test',
        signed: new SignedJobs(),
        log,
      })
      agents.push(agent)
      agent.start()
      await until('the agent to connect', () => agent.report().phase === 'connected', SOON_MS)
      return agent
    }
    try {
      await play({ ...house, relay, connect })
    } finally {
      relay.mend()
      await Promise.all(agents.map((agent) => agent.stop(0)))
      relay.close()
    }
  })

const askingEngine = (url: string): Engine =>
  new OpenAiEngine({ url, apiKey: '', wanted: parseWantedModels(''), log })
