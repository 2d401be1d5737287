import 'reflect-metadata'
import { main, runProcess } from '../config/process.ts'
import { readConfig } from '../config/read.ts'
import { workerSchema } from '../config/schema.ts'
import { makeLog } from '../telemetry/log.ts'
import { composeWorker } from './compose.ts'

main(async () => {
  const config = readConfig(workerSchema, process.env)
  const log = makeLog('worker', config.LOG_LEVEL)
  await runProcess(log, () => composeWorker(config, log))
})
