import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { findOnPath } from '../../../src/network/programs/on-path.ts'

/**
 * Machines of a network of their own: namespaces of Linux, joined by a bridge. None has 127.0.0.1, so that
 * nothing can find another part there.
 */
export interface Hosts<Name extends string> {
  addressOf(name: Name): string
  /** What to run so that it runs there. */
  command(name: Name, program: string, args: readonly string[]): readonly [string, ...string[]]
  /** Nothing reaches this host or leaves it, and nobody is told. */
  unplug(name: Name): void
  plug(name: Name): void
  remove(): void
}

const FOLDER = '/run/netns'
const bridgeOf = (pid: number): string => `svcbr${pid}`
const spaceOf = (pid: number, name: string): string => `svc${pid}-${name}`
/** Names of interfaces have 15 characters at most. */
const cableOf = (pid: number, index: number): string => `svcif${pid}${index}`

/** Why this machine has no such hosts; undefined where it can make some. */
export function whyNoHosts(): string | undefined {
  if (process.platform !== 'linux') return 'namespaces of the network are a matter of Linux'
  if (process.getuid?.() !== 0) return 'namespaces of the network need root'
  if (!findOnPath('ip')) return '"ip" is missing: apt-get install iproute2'
  try {
    makeHosts(['try']).remove()
    return undefined
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error)
    return `this machine lets nobody make namespaces of the network (${why})`
  }
}

export function makeHosts<Name extends string>(names: readonly Name[]): Hosts<Name> {
  const { pid } = process
  removeStale()
  const subnet = `10.213.${pid % 250}`
  const addressOf = (name: Name) => `${subnet}.${names.indexOf(name) + 2}`
  const cable = (name: Name) => cableOf(pid, names.indexOf(name))
  const bridge = bridgeOf(pid)
  const remove = () => removeOf(pid)
  try {
    ip('link', 'add', bridge, 'type', 'bridge')
    // The test itself stands outside of them all, and reaches each.
    ip('address', 'add', `${subnet}.1/24`, 'dev', bridge)
    ip('link', 'set', bridge, 'up')
    for (const name of names) {
      const space = spaceOf(pid, name)
      ip('netns', 'add', space)
      ip('link', 'add', cable(name), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
      ip('link', 'set', cable(name), 'master', bridge, 'up')
      ip('-n', space, 'address', 'add', `${addressOf(name)}/24`, 'dev', 'eth0')
      ip('-n', space, 'link', 'set', 'eth0', 'up')
      // The way from a machine to its own address.
      ip('-n', space, 'link', 'set', 'lo', 'up')
      ip('-n', space, 'address', 'flush', 'dev', 'lo')
    }
  } catch (error) {
    remove()
    throw error
  }
  return {
    addressOf,
    command: (name, program, args) => [
      findOnPath('ip')!,
      ...['netns', 'exec', spaceOf(pid, name), program, ...args],
    ],
    unplug: (name) => ip('link', 'set', cable(name), 'down'),
    plug: (name) => ip('link', 'set', cable(name), 'up'),
    remove,
  }
}

const ip = (...args: string[]): string =>
  execFileSync(findOnPath('ip')!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Their ends of the cables go with them. */
function removeOf(pid: number): void {
  for (const space of spaces()) if (space.startsWith(`svc${pid}-`)) ip('netns', 'delete', space)
  if (links().includes(bridgeOf(pid))) ip('link', 'delete', bridgeOf(pid))
}

/** What tests left that were killed. */
function removeStale(): void {
  const named = [...spaces(), ...links()].flatMap((name) => {
    const pid = /^svc(\d+)-/.exec(name)?.[1] ?? /^svcbr(\d+)$/.exec(name)?.[1]
    return pid === undefined ? [] : [Number(pid)]
  })
  for (const pid of new Set(named)) if (!isAlive(pid)) removeOf(pid)
}

const spaces = (): string[] => {
  try {
    return readdirSync(FOLDER)
  } catch {
    return [] // there never was one on this machine
  }
}
const links = (): string[] => readdirSync('/sys/class/net')

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
