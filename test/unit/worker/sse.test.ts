import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SseReader } from '../../../src/worker/engines/sse.ts'

const Sse = suite('sse reader')
const utf8 = (text: string) => Buffer.from(text, 'utf8')

/** Feeds `text` in pieces of `size` bytes. */
function read(text: string, size = Infinity): string[] {
  const reader = new SseReader()
  const bytes = utf8(text)
  const events: string[] = []
  for (let at = 0; at < bytes.length; at += size) {
    events.push(...reader.push(bytes.subarray(at, Math.min(bytes.length, at + size))))
  }
  return [...events, ...reader.end()]
}

const STREAM =
  '\ufeff: hello\r\n\r\ndata: {"a":"é€😀"}\r\n\r\nevent: x\r\nid: 7\r\ndata: one\r\ndata:two\r\n\r\n' +
  'data: three\n\n\n\ndata\n\ndata: four\r\rdata:  five\n\ndata: [DONE]\n\n'
const EVENTS = ['{"a":"é€😀"}', 'one\ntwo', 'three', '', 'four', ' five', '[DONE]']

Sse('reads events with any line ending, comments and several data lines', () => {
  assert.equal(read(STREAM), EVENTS)
})

Sse('reads the same however the bytes are cut', () => {
  for (let size = 1; size <= 40; size++) assert.equal(read(STREAM, size), EVENTS, `size ${size}`)
})

Sse('gives the last event though nothing follows it, however it is cut', () => {
  for (const end of ['', '\n', '\r', '\r\n']) {
    const reader = new SseReader('[DONE]')
    assert.equal(reader.push(utf8('data: a\n\ndata: [DO')), ['a'])
    assert.equal(reader.push(utf8(`NE]${end}`)), ['[DONE]'])
    assert.equal(reader.push(utf8('\n\n')), [], 'once')
    assert.equal(reader.end(), [])
  }
  const reader = new SseReader('[DONE]')
  assert.equal(reader.push(utf8('data: a\ndata: [DONE]')), [], 'a line of another event')
  assert.equal(reader.end(), ['a\n[DONE]'])
})

Sse('gives an event as soon as its blank line is there', () => {
  const reader = new SseReader()
  assert.equal(reader.push(utf8('data: a\n')), [])
  assert.equal(reader.push(utf8('\ndata: b')), ['a'])
  assert.equal(reader.push(utf8('\r')), [])
  assert.equal(reader.push(utf8('\n\r')), ['b'])
  assert.equal(reader.push(utf8('\ndata: c\n\n')), ['c'])
})

Sse('an event whose blank line never came is given at the end', () => {
  assert.equal(read('data: last'), ['last'])
  assert.equal(read(''), [])
})

Sse('an event without end is no event, be it one line or many', () => {
  const part = 'a'.repeat(1024 * 1024)
  for (const piece of [part, `data: ${part}\n`]) {
    const reader = new SseReader()
    const readOn = () => {
      for (let mebi = 0; mebi < 20; mebi++) reader.push(utf8(piece))
    }
    assert.throws(readOn, /has no end/)
  }
})

Sse.run()
