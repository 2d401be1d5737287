import 'reflect-metadata'
import { main, runProcess } from '../config/process.ts'
import { readConfig } from '../config/read.ts'
import { edgeSchema } from '../config/schema.ts'
import { leavingMs } from '../config/shared-settings.ts'
import { makeLog } from '../telemetry/log.ts'
import { composeEdge } from './compose.ts'

main(async () => {
  const config = readConfig(edgeSchema, process.env)
  const log = makeLog('edge', config.LOG_LEVEL)
  await runProcess(log, () => composeEdge(config, log), leavingMs(config))
})
