import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { USAGE } from '../../../src/network/options.ts'
import {
  LOOPBACK,
  layOutPorts,
  requireUsablePorts,
  UNCALLABLE_PORTS,
} from '../../../src/network/ports.ts'

const PortsSuite = suite('ports')

async function refusalOf(port: number): Promise<string> {
  return requireUsablePorts([port]).then(
    () => '',
    (error: Error) => error.message,
  )
}

PortsSuite('one that another program holds is named', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve))
  const { port } = server.address() as AddressInfo
  assert.match(await refusalOf(port), `port ${port} is taken`)
  await new Promise((resolve) => server.close(resolve))
  assert.is(await refusalOf(port), '')
})

PortsSuite('one that clients refuse to call is named', async () => {
  for (const port of UNCALLABLE_PORTS) {
    assert.match(await refusalOf(port), `refuse to call port ${port};`)
    const cause = await fetch(`http://${LOOPBACK}:${port}`).then(
      () => undefined,
      (error: Error) => error.cause,
    )
    assert.is((cause as Error | undefined)?.message, 'bad port')
  }
})

PortsSuite('the usage names where the ports of each role begin', () => {
  const base = 10_000
  const counts = { edges: 1, actors: 1, pools: 1, workers: 1 }
  const { edges, pools, monitors, ...others } = layOutPorts(base, counts)
  const single = Object.values(others).filter((port) => typeof port === 'number')
  for (const port of [...edges, ...pools, ...monitors, ...single]) {
    assert.match(USAGE, new RegExp(port === base ? 'N to' : `N\\+${port - base}\\b`))
  }
})

PortsSuite.run()
