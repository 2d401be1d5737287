// A deliverer as a process of its own, which a test may kill at any moment: NATS_URL, RETRY_MS.
import { makeLog } from '../../../src/telemetry/log.ts'
import { startDeliverer } from './deliverer.ts'

const deliverer = await startDeliverer({
  natsUrl: process.env.NATS_URL!,
  schedule: process.env.RETRY_MS!.split(',').map(Number),
  log: makeLog('deliverer', process.env.LOG_LEVEL ?? 'silent'),
})
process.send?.('ready')
process.on('SIGTERM', () => void deliverer.stop().then(() => process.exit(0)))
process.on('disconnect', () => process.exit(1))
