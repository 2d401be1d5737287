import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { curlWithoutProxy, loopbackWithoutProxy } from '../../../src/network/no-proxy.ts'

const NoProxy = suite('no proxy on the way to this machine')
const PROXY = 'http://proxy.example.org:3128'
const LOOPBACK = '127.0.0.1,localhost,::1'

NoProxy('without a proxy nothing is said of one', () => {
  assert.equal(loopbackWithoutProxy({ HTTP_PROXY: '' }), {})
  assert.is(curlWithoutProxy({}), '')
})

NoProxy('a proxy under any of its names is not asked for this machine', () => {
  for (const name of ['http_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'all_proxy', 'grpc_proxy']) {
    const added = loopbackWithoutProxy({ [name]: PROXY })
    assert.equal(added, { no_proxy: LOOPBACK, NO_PROXY: LOOPBACK }, name)
  }
})

NoProxy('exceptions that are there are kept, those of gRPC apart', () => {
  const added = loopbackWithoutProxy({
    http_proxy: PROXY,
    ...{ no_proxy: '.corp, localhost', NO_PROXY: '10.0.0.1', no_grpc_proxy: 'pool' },
  })
  const exceptions = '.corp,localhost,10.0.0.1,127.0.0.1,::1'
  const forGrpc = `pool,${LOOPBACK}`
  assert.equal(added, {
    ...{ no_proxy: exceptions, NO_PROXY: exceptions, no_grpc_proxy: forGrpc },
  })
})

NoProxy('the line to paste says so where the shell has a proxy that curl would ask', () => {
  const told = " --noproxy '*'"
  assert.is(curlWithoutProxy({ http_proxy: PROXY, no_proxy: 'localhost' }), told)
  assert.is(curlWithoutProxy({ ALL_PROXY: PROXY }), told)
  assert.is(curlWithoutProxy({ HTTP_PROXY: PROXY, https_proxy: PROXY }), '')
  assert.is(curlWithoutProxy({ http_proxy: PROXY, NO_PROXY: 'a, 127.0.0.1' }), '')
  assert.is(curlWithoutProxy({ http_proxy: PROXY, no_proxy: '*' }), '')
})

NoProxy.run()
