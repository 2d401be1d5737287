// Loaded into every process of a network under fault, before its own code (`NODE_OPTIONS=--import`). It does
// nothing but what a host could do to a process: send its connections another way, and set its clock.
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'

const LOOK_MS = 50
const role = /\/roles\/\w+\/(edge|actors|pool|web|worker)\.mjs$/.exec(process.argv[1] ?? '')?.[1]
if (role) {
  /** Ports that this role reaches by another: `{role: {port: other}}`. */
  divert(JSON.parse(process.env.CHAOS_ROUTES ?? '{}')[role] ?? {})
  if (process.env.CHAOS_CLOCKS) keepWrongTime(join(process.env.CHAOS_CLOCKS, String(process.pid)))
}

/** Says first on each such connection which process it is, so that a cut may take one of several. */
function divert(routes) {
  const connect = Socket.prototype.connect
  Socket.prototype.connect = function (...args) {
    const list = Array.isArray(args[0]) ? args[0] : args
    const named = typeof list[0] === 'object' && list[0] !== null
    const other = routes[named ? list[0].port : list[0]]
    if (other === undefined) return connect.apply(this, args)
    list[0] = named ? { ...list[0], port: other } : other
    const socket = connect.apply(this, args)
    socket.write(`${process.pid}\n`)
    return socket
  }
}

/** The file holds by how many milliseconds the clock is wrong; without it the clock is right. */
function keepWrongTime(file) {
  let wrongMs = 0
  const Real = Date
  const now = Real.now
  Real.now = () => now() + wrongMs
  globalThis.Date = new Proxy(Real, {
    construct: (target, args) => Reflect.construct(target, args.length > 0 ? args : [target.now()]),
    apply: () => new Real(Real.now()).toString(),
  })
  setInterval(() => {
    wrongMs = readOffset(file)
  }, LOOK_MS).unref()
}

function readOffset(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return 0
    throw error
  }
}
