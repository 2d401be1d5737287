import { type LuaEngine, LuaFactory } from 'wasmoon'

/** What a script gives back, or a command: bytes are strings of which each character is one byte. */
export type Reply = string | number | null | readonly Reply[]
/** Does a command of Redis. */
export type Perform = (command: string, args: string[]) => Reply

/**
 * Redis' scripts in a Lua of its own: the real ones, to the letter. It is Lua 5.4 where Redis has 5.1;
 * what differs is made the same here, as far as the house's scripts can tell.
 */
export interface ScriptEngine {
  /** @returns a number for `run` */
  load(source: string): number
  run(script: number, keys: readonly string[], args: readonly string[], perform: Perform): Reply
}

const PRELUDE = `
unpack = table.unpack
struct = { unpack = string.unpack, pack = string.pack }
redis = { call = __call }
__scripts = {}
`

/** As much of Lua's C interface as is called here. */
interface LuaModule {
  readonly HEAPU8: Uint8Array
  _malloc(size: number): number
  addFunction(call: (state: number) => number, signature: string): number
  _lua_gettop(L: number): number
  _lua_settop(L: number, index: number): void
  _lua_type(L: number, index: number): number
  _lua_tolstring(L: number, index: number, length: number): number
  _lua_tonumberx(L: number, index: number, isNumber: number): number
  _lua_toboolean(L: number, index: number): number
  _lua_pushlstring(L: number, bytes: number, length: number): void
  _lua_pushboolean(L: number, value: number): void
  _lua_pushnumber(L: number, value: number): void
  _lua_pushinteger(L: number, value: bigint): void
  _lua_pushcclosure(L: number, call: number, values: number): void
  _lua_createtable(L: number, items: number, fields: number): void
  _lua_rawseti(L: number, index: number, place: bigint): void
  _lua_rawgeti(L: number, index: number, place: bigint): number
  _lua_setglobal(L: number, name: number): void
  _lua_getglobal(L: number, name: number): number
  _lua_pcallk(...args: [number, number, number, number, number, number]): number
  _luaL_loadbufferx(...args: [number, number, number, number, number]): number
  _lua_error(L: number): number
}

const TYPE = { nil: 0, boolean: 1, number: 3, string: 4, table: 5 } as const
const ROOM_BYTES = 1 << 20

/** Takes a tenth of a second: one for all lives of a process. */
export async function openScripts(): Promise<ScriptEngine> {
  const lua = await new LuaFactory().createEngine({ injectObjects: false, enableProxy: false })
  return new Scripts(lua)
}

class Scripts implements ScriptEngine {
  readonly #m: LuaModule
  readonly #L: number
  readonly #room: number
  readonly #length: number
  readonly #sources = new Map<string, number>()
  #perform: Perform = () => null
  #thrown: unknown

  constructor(lua: LuaEngine) {
    const { global } = lua as unknown as {
      global: { address: number; lua: { module: LuaModule } }
    }
    this.#m = global.lua.module
    this.#L = global.address
    this.#room = this.#m._malloc(ROOM_BYTES)
    this.#length = this.#m._malloc(8)
    const call = this.#m.addFunction((L) => this.#call(L), 'ii')
    this.#m._lua_pushcclosure(this.#L, call, 0)
    this.#setGlobal('__call')
    this.#compile(PRELUDE)
    if (this.#m._lua_pcallk(this.#L, 0, 0, 0, 0, 0) !== 0) throw new Error(this.#error())
  }

  load(source: string): number {
    const known = this.#sources.get(source)
    if (known !== undefined) return known
    const number = this.#sources.size + 1
    this.#getGlobal('__scripts')
    this.#compile(source)
    this.#m._lua_rawseti(this.#L, -2, BigInt(number))
    this.#m._lua_settop(this.#L, -2)
    this.#sources.set(source, number)
    return number
  }

  run(script: number, keys: readonly string[], args: readonly string[], perform: Perform): Reply {
    const L = this.#L
    const top = this.#m._lua_gettop(L)
    this.#perform = perform
    this.#thrown = undefined
    try {
      this.#pushAll(L, keys)
      this.#setGlobal('KEYS')
      this.#pushAll(L, args)
      this.#setGlobal('ARGV')
      this.#getGlobal('__scripts')
      this.#m._lua_rawgeti(L, -1, BigInt(script))
      if (this.#m._lua_pcallk(L, 0, 1, 0, 0, 0) !== 0)
        throw this.#thrown ?? new Error(this.#error())
      return this.#reply(L, -1)
    } finally {
      this.#m._lua_settop(L, top)
    }
  }

  /** `redis.call`, from Lua. */
  #call(L: number): number {
    const count = this.#m._lua_gettop(L)
    const parts: string[] = []
    for (let i = 1; i <= count; i++) parts.push(this.#argument(L, i))
    try {
      const [command = '', ...args] = parts
      this.#push(L, this.#perform(command.toUpperCase(), args))
    } catch (error) {
      this.#thrown = error
      this.#push(L, String(error))
      return this.#m._lua_error(L)
    }
    return 1
  }

  #argument(L: number, index: number): string {
    if (this.#m._lua_type(L, index) === TYPE.number) {
      return String(this.#m._lua_tonumberx(L, index, 0))
    }
    return this.#text(L, index)
  }

  #text(L: number, index: number): string {
    const at = this.#m._lua_tolstring(L, index, this.#length)
    if (at === 0) throw new Error('a command takes strings and numbers')
    const heap = this.#m.HEAPU8
    const length =
      heap[this.#length]! | (heap[this.#length + 1]! << 8) | (heap[this.#length + 2]! << 16)
    let text = ''
    for (let i = at; i < at + length; i++) text += String.fromCharCode(heap[i]!)
    return text
  }

  #pushAll(L: number, values: readonly Reply[]): void {
    this.#m._lua_createtable(L, values.length, 0)
    values.forEach((value, i) => {
      this.#push(L, value)
      this.#m._lua_rawseti(L, -2, BigInt(i + 1))
    })
  }

  #push(L: number, value: Reply): void {
    // As Redis has it: nothing is false.
    if (value === null) this.#m._lua_pushboolean(L, 0)
    else if (typeof value === 'string') this.#pushText(L, value)
    else if (typeof value !== 'number') this.#pushAll(L, value)
    else if (Number.isInteger(value)) this.#m._lua_pushinteger(L, BigInt(value))
    else this.#m._lua_pushnumber(L, value)
  }

  #pushText(L: number, text: string): void {
    if (text.length > ROOM_BYTES) throw new Error(`${text.length} bytes are too much for a script`)
    const heap = this.#m.HEAPU8
    for (let i = 0; i < text.length; i++) heap[this.#room + i] = text.charCodeAt(i)
    this.#m._lua_pushlstring(L, this.#room, text.length)
  }

  /** As Redis reads it: whole numbers, no booleans, lists that end at the first nothing. */
  #reply(L: number, index: number): Reply {
    switch (this.#m._lua_type(L, index)) {
      case TYPE.number:
        return Math.trunc(this.#m._lua_tonumberx(L, index, 0))
      case TYPE.string:
        return this.#text(L, index)
      case TYPE.boolean:
        return this.#m._lua_toboolean(L, index) ? 1 : null
      case TYPE.table:
        return this.#list(L, index)
      default:
        return null
    }
  }

  #list(L: number, index: number): Reply[] {
    const list: Reply[] = []
    for (let i = 1; ; i++) {
      const type = this.#m._lua_rawgeti(L, index, BigInt(i))
      const item = type === TYPE.nil ? undefined : this.#reply(L, -1)
      this.#m._lua_settop(L, -2)
      if (item === undefined) return list
      list.push(item)
    }
  }

  #compile(source: string): void {
    const bytes = Buffer.from(source, 'utf8').toString('latin1')
    const heap = this.#m.HEAPU8
    for (let i = 0; i < bytes.length; i++) heap[this.#room + i] = bytes.charCodeAt(i)
    const name = this.#name('script', bytes.length + 1)
    if (this.#m._luaL_loadbufferx(this.#L, this.#room, bytes.length, name, 0) !== 0) {
      throw new Error(this.#error())
    }
  }

  #error(): string {
    return `lua: ${this.#text(this.#L, -1)}`
  }

  #name(name: string, from = 0): number {
    const heap = this.#m.HEAPU8
    const at = this.#room + from
    for (let i = 0; i < name.length; i++) heap[at + i] = name.charCodeAt(i)
    heap[at + name.length] = 0
    return at
  }

  #setGlobal(name: string): void {
    this.#m._lua_setglobal(this.#L, this.#name(name))
  }

  #getGlobal(name: string): void {
    this.#m._lua_getglobal(this.#L, this.#name(name))
  }
}
