import { OpenAiEngine } from '../../../src/worker/engines/openai.ts'
import { parseWantedModels } from '../../../src/worker/engines/upstream-models.ts'
import { SOON_MS, until } from '../../until.ts'
import { Rogue } from './rogue.ts'
import { log, PoolStage } from './stage.ts'
import { type Answer, Upstream } from './upstream.ts'

export interface House {
  readonly stage: PoolStage
  readonly upstream: Upstream
  rogue(key: number, hello?: ConstructorParameters<typeof Rogue>[2]): Promise<Rogue>
  serve(answer?: Answer, key?: number): Promise<void>
}

const TEST_MS = 90_000

/** Runs a test in a house of its own, with a deadline. */
export const inHouse =
  (
    play: (house: House) => Promise<void>,
    options: ConstructorParameters<typeof PoolStage>[0] = {},
  ) =>
  async () => {
    const stage = await new PoolStage(options).open()
    const upstream = await new Upstream(['qwen3:8b']).open()
    const rogues: Rogue[] = []
    const house: House = {
      stage,
      upstream,
      rogue: async (key, hello) => {
        const rogue = new Rogue(stage.url, key, hello)
        rogues.push(rogue)
        await until('a rogue to be met', () => rogue.welcomed || rogue.ended !== undefined, SOON_MS)
        return rogue
      },
      serve: async (answer, key = 1) => {
        if (answer) upstream.answer = answer
        const wanted = parseWantedModels('')
        const engine = new OpenAiEngine({ url: upstream.url, apiKey: '', wanted, log })
        await stage.agent(engine, { key })
      },
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`test took over ${TEST_MS} ms`)), TEST_MS)
    })
    try {
      await Promise.race([play(house), late])
    } finally {
      clearTimeout(timer)
      for (const rogue of rogues) rogue.vanish()
      await stage.close()
      await upstream.close()
    }
  }
