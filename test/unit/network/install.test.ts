import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isNewEnough, npm } from '../../../src/network/install.mjs'

const Install = suite('installing packages')

Install('a Node that is too old for the build of the web app is not new enough', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  const least = engines.node.replace('>=', '')
  for (const version of [`${least}.0`, '20.20.2', '22.0.0', '24.21.0']) {
    assert.ok(isNewEnough(version), version)
  }
  for (const version of ['18.20.8', '20.9.0', '20.11.0', '20.18.3']) {
    assert.not.ok(isNewEnough(version), version)
  }
})

Install('what builds the web app asks for no newer one', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  assert.match(packages['node_modules/vite'].engines.node, /\^20\.19\.0/)
})

Install('npm installs, also where yarn or pnpm has started the project', () => {
  assert.equal(npm('/lib/npm/bin/npm-cli.js'), [process.execPath, ['/lib/npm/bin/npm-cli.js']])
  for (const other of ['/lib/yarn/bin/yarn.js', '/lib/pnpm/bin/pnpm.cjs', undefined]) {
    assert.equal(npm(other), ['npm', []])
  }
})

Install.run()
