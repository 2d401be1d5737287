#!/usr/bin/env node
// forge asks for a native compiler by path. This is the npm compiler behind the two calls it makes.
import { readFileSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import solc from 'solc'

if (process.argv.includes('--version')) {
  // forge reads the platform out of the banner and refuses the one of the npm build.
  const version = solc.version().replace('Emscripten.clang', 'Linux.g++')
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`)
} else {
  process.stdout.write(compile(readFileSync(0, 'utf8')))
}

// Packages live above this project, and forge names some of their files by absolute path and some
// relative to the project. A native compiler makes one of both; the npm one takes names literally.
function compile(standardInput) {
  const input = JSON.parse(standardInput)
  const projectDir = process.argv[process.argv.indexOf('--base-path') + 1]
  const absoluteNames = new Map()
  const toRelative = (name) => {
    const relativeName = isAbsolute(name) ? relative(projectDir, name) : name
    if (relativeName !== name) absoluteNames.set(relativeName, name)
    return relativeName
  }
  const given = new Set(Object.keys(input.sources))
  input.sources = renameKeys(input.sources, toRelative)
  input.settings.outputSelection = widen(renameKeys(input.settings.outputSelection, toRelative))

  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  // forge finds each result under the name it gave.
  const toGiven = (name) => (given.has(name) ? name : (absoluteNames.get(name) ?? name))
  if (output.sources) output.sources = renameKeys(output.sources, toGiven)
  if (output.contracts) output.contracts = renameKeys(output.contracts, toGiven)
  return JSON.stringify(output)
}

// `forge lint` asks for ABIs alone, and then takes its own cache for a full build: the next
// `forge test` finds no tests, the next `forge build` leaves no bytecode. So it gets a full build.
function widen(outputSelection) {
  const full = {
    '*': ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers'],
  }
  return Object.fromEntries(
    Object.entries(outputSelection).map(([file, wanted]) => [
      file,
      wanted['*']?.join() === 'abi' ? full : wanted,
    ]),
  )
}

function renameKeys(record, rename) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))
}
