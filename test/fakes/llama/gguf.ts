import { writeFileSync } from 'node:fs'

/** A value of a GGUF file's header; `f32` where a whole number is meant as a fraction. */
export type GgufValue =
  | { readonly u32: number }
  | { readonly i32s: readonly number[] }
  | { readonly f32: number }
  | { readonly f32s: readonly number[] }
  | { readonly bool: boolean }
  | { readonly text: string }
  | { readonly texts: readonly string[] }

export interface GgufTensor {
  readonly name: string
  /** Fastest running first, as GGUF has it. */
  readonly dims: readonly number[]
  readonly values: Float32Array
}

/** Type numbers of the format's specification. */
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, array: 9 } as const
const TENSOR_F32 = 0
const VERSION = 3
const ALIGNMENT = 32

/** Writes a GGUF file, version 3, with F32 tensors alone. */
export function writeGguf(
  path: string,
  header: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): void {
  const entries = Object.entries(header)
  const parts = [Buffer.from('GGUF'), u32(VERSION), u64(tensors.length), u64(entries.length)]
  for (const [key, value] of entries) parts.push(text(key), ...typed(value))
  let offset = 0
  for (const { name, dims, values } of tensors) {
    parts.push(text(name), u32(dims.length), ...dims.map(u64), u32(TENSOR_F32), u64(offset))
    offset += padded(values.byteLength)
  }
  const head = Buffer.concat(parts)
  const data = tensors.map(({ values }) =>
    fill(Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  )
  writeFileSync(path, Buffer.concat([fill(head), ...data]))
}

function typed(value: GgufValue): Buffer[] {
  if ('u32' in value) return [u32(TYPES.u32), u32(value.u32)]
  if ('f32' in value) return [u32(TYPES.f32), f32(value.f32)]
  if ('bool' in value) return [u32(TYPES.bool), Buffer.from([value.bool ? 1 : 0])]
  if ('text' in value) return [u32(TYPES.text), text(value.text)]
  if ('i32s' in value) return array(TYPES.i32, value.i32s.map(i32))
  if ('f32s' in value) return array(TYPES.f32, value.f32s.map(f32))
  return array(TYPES.text, value.texts.map(text))
}

const array = (type: number, items: readonly Buffer[]): Buffer[] => [
  u32(TYPES.array),
  u32(type),
  u64(items.length),
  ...items,
]

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8')
  return Buffer.concat([u64(bytes.length), bytes])
}

const padded = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
const fill = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)])
