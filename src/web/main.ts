import 'reflect-metadata'
import { main, runProcess } from '../config/process.ts'
import { roleConfig } from '../config/role-config.ts'
import { leavingMs } from '../config/shared-settings.ts'
import { webSchema } from '../config/web-schema.ts'
import { makeLog } from '../telemetry/log.ts'
import { composeWeb } from './compose.ts'

main(async () => {
  const config = roleConfig('web', webSchema)
  const log = makeLog('web', config.LOG_LEVEL)
  await runProcess(log, () => composeWeb(config, log), leavingMs(config))
})
