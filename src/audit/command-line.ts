import { resolve } from 'node:path'
import { CannotTell } from './cannot-tell.ts'

/** 0: all holds. 1: something does not. 2: it cannot be told. */
export type ExitCode = 0 | 1 | 2

/** npm runs a script in the folder of package.json; the caller may be in another. */
export const fromCaller = (path: string): string => resolve(process.env.INIT_CWD ?? '.', path)

/** Runs a command and ends the process with its code. What cannot be told is said in one line. */
export async function runCommand(command: () => Promise<ExitCode>): Promise<void> {
  // Whoever reads may have seen enough.
  process.stdout.on('error', () => {})
  try {
    process.exitCode = await command()
  } catch (error) {
    const said = error instanceof CannotTell ? error.message : (error as Error)?.stack
    process.stderr.write(`${said ?? String(error)}\n`)
    process.exitCode = 2
  }
}
