import 'reflect-metadata'
import { main, runProcess } from '../src/config/process.ts'
import { roleConfig } from '../src/config/role-config.ts'
import { actorsSchema } from '../src/config/schema.ts'
import { makeLog } from '../src/telemetry/log.ts'
import { composeActors } from './compose.ts'

main(async () => {
  const config = roleConfig('actors', actorsSchema)
  const log = makeLog('actors', config.LOG_LEVEL)
  await runProcess(log, () => composeActors(config, log))
})
