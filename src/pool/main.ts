import 'reflect-metadata'
import { main, runProcess } from '../config/process.ts'
import { readConfig } from '../config/read.ts'
import { poolSchema } from '../config/schema.ts'
import { leavingMs } from '../config/shared-settings.ts'
import { makeLog } from '../telemetry/log.ts'
import { composePool } from './compose.ts'

main(async () => {
  const config = readConfig(poolSchema, process.env)
  const log = makeLog('pool', config.LOG_LEVEL)
  await runProcess(log, () => composePool(config, log), leavingMs(config))
})
