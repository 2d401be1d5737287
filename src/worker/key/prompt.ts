import { stderr, stdin } from 'node:process'

const ENTER = ['\r', '\n', '\u0004']
const INTERRUPT = '\u0003'
const BACKSPACE = ['\u007f', '\b']

/** Whether somebody sits there to be asked. */
export const canAsk = (): boolean => Boolean(stdin.isTTY)

/** Asks on the terminal without showing what is typed. On stderr: stdout may be read by a program. */
export function askSecret(question: string): Promise<string> {
  stderr.write(`${question}: `)
  stdin.setRawMode(true).setEncoding('utf8').resume()
  return new Promise((resolve, reject) => {
    let text = ''
    const end = () => {
      stdin.off('data', hear).setRawMode(false).pause()
      stderr.write('\n')
    }
    const hear = (typed: string) => {
      for (const key of typed) {
        if (key === INTERRUPT) {
          end()
          return reject(new Error('interrupted'))
        }
        if (ENTER.includes(key)) {
          end()
          return resolve(text)
        }
        text = BACKSPACE.includes(key) ? text.slice(0, -1) : text + key
      }
    }
    stdin.on('data', hear)
  })
}
