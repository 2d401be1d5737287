import 'reflect-metadata'
import { main, runProcess } from '../config/process.ts'
import { roleConfig } from '../config/role-config.ts'
import { poolSchema } from '../config/schema.ts'
import { leavingMs } from '../config/shared-settings.ts'
import { makeLog } from '../telemetry/log.ts'
import { composePool } from './compose.ts'

main(async () => {
  const config = roleConfig('pool', poolSchema)
  const log = makeLog('pool', config.LOG_LEVEL)
  await runProcess(log, () => composePool(config, log), leavingMs(config))
})
