// How a program of a build is run. What Node is told makes errors name the lines that people wrote.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What follows `node` where the program is a process of its own. */
export const nodeArguments = (build, program) => ['--enable-source-maps', fileOf(build, program)]

/** Runs the program in this process. @returns what it exports */
export function load(build, program) {
  process.setSourceMapsEnabled(true)
  return import(pathToFileURL(fileOf(build, program)).href)
}

export const fileOf = (build, program) => join(build, `${program}.mjs`)
