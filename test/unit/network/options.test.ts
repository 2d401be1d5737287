import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { parseOptions, UsageError } from '../../../src/network/options.ts'

const Options = suite('launcher options')
const parse = (...args: string[]) => {
  const options = parseOptions(args, '/home/someone')
  if (options === 'help') throw new Error('help was not asked for')
  return options
}

Options('without flags: one of each, two workers, state in .svc', () => {
  assert.equal(parse(), {
    dataDir: '/home/someone/.svc',
    portBase: 8080,
    counts: { edges: 1, actors: 1, pools: 1, workers: 2 },
    upstreamUrl: undefined,
    fresh: false,
  })
})

Options('every flag is read', () => {
  const flags = '--data-dir /d --port-base 9000 --edges 2 --actors 3 --pools 4 --workers 0 --fresh'
  assert.equal(parse(...flags.split(' '), '--upstream', 'http://127.0.0.1:1234/v1/'), {
    dataDir: '/d',
    portBase: 9000,
    counts: { edges: 2, actors: 3, pools: 4, workers: 0 },
    upstreamUrl: 'http://127.0.0.1:1234/v1',
    fresh: true,
  })
})

Options('--help wins over the rest', () => {
  assert.is(parseOptions(['--fresh', '--help'], '/'), 'help')
})

for (const wrong of [
  ['--bogus'],
  ['--data-dir'],
  ['--data-dir', ''],
  ['start'],
  ['--workers', 'two'],
  ['--workers', '-1'],
  ['--workers', ''],
  ['--edges', '11'],
  ['--port-base', '80'],
  ['--port-base', '65530'],
  ['--upstream', 'localhost:1234'],
]) {
  Options(`${wrong.join(' ')} is refused, by name`, () => {
    assert.throws(
      () => parse(...wrong),
      (error: Error) => error instanceof UsageError && error.message.includes(wrong[0]!),
    )
  })
}

Options('what is wrong with them is said without a stack', () => {
  assert.throws(
    () => parse('--bogus'),
    (error: Error) => error instanceof OperatorError,
  )
})

Options.run()
