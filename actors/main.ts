import 'reflect-metadata'
import { main, runProcess } from '../src/config/process.ts'
import { readConfig } from '../src/config/read.ts'
import { actorsSchema } from '../src/config/schema.ts'
import { makeLog } from '../src/telemetry/log.ts'
import { composeActors } from './compose.ts'

main(async () => {
  const config = readConfig(actorsSchema, process.env)
  const log = makeLog('actors', config.LOG_LEVEL)
  await runProcess(log, () => composeActors(config, log))
})
