import { connect } from 'node:http2'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RECEIVE_WINDOW_BYTES } from '../../../src/pool/session/receive-window.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { SOON_MS, until } from '../../until.ts'

const Window = suite('pool: how much a worker may have under way')

Window(
  'a stream and its connection have room for what many answers send in a round trip',
  inHouse(async ({ stage }) => {
    const session = connect(`http://${stage.url}`)
    session.on('error', () => {})
    try {
      const window = () => session.remoteSettings?.initialWindowSize
      await until('the window of a stream', () => window() === RECEIVE_WINDOW_BYTES, SOON_MS)
      const ofConnection = () => session.state.remoteWindowSize
      await until(
        'the window of the connection',
        () => ofConnection() === RECEIVE_WINDOW_BYTES,
        SOON_MS,
      )
      assert.is(session.remoteSettings.maxConcurrentStreams, 100)
    } finally {
      session.destroy()
    }
  }),
)

Window.run()
