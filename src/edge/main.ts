import 'reflect-metadata'
import { main, runProcess } from '../config/process.ts'
import { roleConfig } from '../config/role-config.ts'
import { edgeSchema } from '../config/schema.ts'
import { leavingMs } from '../config/shared-settings.ts'
import { makeLog } from '../telemetry/log.ts'
import { composeEdge } from './compose.ts'

main(async () => {
  const config = roleConfig('edge', edgeSchema)
  const log = makeLog('edge', config.LOG_LEVEL)
  await runProcess(log, () => composeEdge(config, log), leavingMs(config))
})
