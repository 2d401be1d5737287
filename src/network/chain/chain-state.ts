import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'

/**
 * The files that the development chain is kept in. anvil writes its state every few seconds, into one file
 * and while it makes blocks. Killed while it writes, it leaves a part; written beside a block, the file has
 * what the block did and lacks the block with its events, which no chain does to anybody. So what it has
 * written is set aside, a few times, and a start takes the newest that is whole.
 */
export interface ChainState {
  /** The file to start anvil on. */
  readonly file: string
  /** Before each start: puts the newest state that is whole there. Nothing may be writing it. */
  recover(): void
  /** Now and then, while it runs. */
  setAside(): void
}

/** Written beside a block is one in ten at the most, so all of these at once is none in ten thousand. */
const EARLIER = 3
/** A file that rested so long is written to its end. */
const FINISHED_MS = 1_000

/** @returns newest first */
export const chainStateFiles = (file: string): readonly string[] => [
  file,
  ...Array.from({ length: EARLIER }, (_, age) => `${file}.${age + 1}`),
]

/** Not so where all there is are parts: of a node that was killed in its first write, or of a cut of the power. */
export const hasChainState = (file: string): boolean =>
  chainStateFiles(file).some((each) => existsSync(each) && read(each) !== 'part')

/** When it was written last, in Unix milliseconds. */
export const chainWrittenAt = (file: string): number =>
  Math.max(0, ...chainStateFiles(file).map(writtenAt))

export function keepChainState(file: string): ChainState {
  let startedOn = 0
  return {
    file,
    recover: () => {
      const found = chainStateFiles(file).filter(existsSync)
      const newest = newestOf(found)
      for (const broken of newest ? found.slice(0, found.indexOf(newest)) : found) rmSync(broken)
      if (!newest) return
      // anvil writes over what it was started on, so that is a copy.
      if (newest === file) setAside(file)
      copyFileSync(chainStateFiles(file).slice(1).find(existsSync)!, file)
      startedOn = writtenAt(file)
    },
    setAside: () => {
      // What it was started on may not have been read yet.
      const at = writtenAt(file)
      const isFinished = at < Date.now() - FINISHED_MS
      if (at !== startedOn && isFinished && isToItsEnd(file)) setAside(file)
    },
  }
}

/**
 * Where the disk has no room, it rests and is a part all the same; some of these set aside would push out all
 * that is whole. What is as large as the one before is not read: that takes long, and parts are smaller.
 */
function isToItsEnd(file: string): boolean {
  const before = chainStateFiles(file).slice(1).find(existsSync)
  if (before !== undefined && sizeOf(file) >= sizeOf(before)) return true
  return existsSync(file) && read(file) !== 'part'
}

function setAside(file: string): void {
  if (!existsSync(file)) return
  const files = chainStateFiles(file)
  for (let age = files.length - 1; age > 0; age--) {
    const [older, newer] = [files[age]!, files[age - 1]!]
    if (existsSync(newer)) renameSync(newer, older)
  }
}

/** As far as anvil's own format is of interest. Numbers of blocks are hexadecimal in places. */
interface State {
  readonly best_block_number: number | string
  readonly accounts: Readonly<Record<string, { readonly nonce: number; readonly code: string }>>
  readonly transactions: readonly {
    readonly block_number: number | string
    readonly info: { readonly from: string }
  }[]
}

/** One that is whole; where none is, one that anvil can read; undefined: there is neither. */
function newestOf(files: readonly string[]): string | undefined {
  let readable: string | undefined
  for (const file of files) {
    const state = read(file)
    if (state === 'too_large' || (state !== 'part' && isWhole(state))) return file
    if (state !== 'part') readable ??= file
  }
  return readable
}

/** Whether each transaction that somebody has sent, by the count of their account, is in a block. */
function isWhole({ best_block_number: newest, accounts, transactions }: State): boolean {
  const sent = new Map<string, number>()
  for (const { block_number: block, info } of transactions) {
    if (Number(block) > Number(newest)) continue
    sent.set(info.from, (sent.get(info.from) ?? 0) + 1)
  }
  return Object.entries(accounts).every(([address, { nonce, code }]) => {
    return code !== '0x' || nonce === (sent.get(address) ?? 0)
  })
}

/** `too_large`: for Node to read at once; anvil can. */
function read(file: string): State | 'part' | 'too_large' {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as State
  } catch (error) {
    if (error instanceof SyntaxError) return 'part'
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_STRING_TOO_LONG' || code === 'ERR_FS_FILE_TOO_LARGE') return 'too_large'
    throw error
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
const writtenAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
