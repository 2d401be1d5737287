// `npm run generate`: writes proto/gen from the protocol, src/chain/abi.ts from the contracts, and
// deploy/nats-users.conf and deploy/redis-users.acl from the tables of permissions, and builds the web
// app. With --check it writes nothing, and fails when one of those files is not current: the web app is
// not kept, and built where it is missing. Needs no network.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWebApp, webAppIsCurrent } from './web-app.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const protoDir = join(root, 'proto')
const generatedDir = join(protoDir, 'gen')
const check = process.argv.includes('--check')

generateProto()
runScript('src/contracts/generate-abi.ts')
runScript('src/network/servers/generate-users.ts')
if (!check) await generateWebApp()

function generateProto() {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-generate-'))
  try {
    runTool('buf', ['generate', '--output', scratch], protoDir)
    const current = sameFiles(join(scratch, 'gen'), generatedDir)
    if (current) return say('proto/gen is current')
    if (check) {
      process.exitCode = 1
      return say('proto/gen is not current: run npm run generate')
    }
    rmSync(generatedDir, { recursive: true, force: true })
    cpSync(join(scratch, 'gen'), generatedDir, { recursive: true })
    say('proto/gen written')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function runScript(script) {
  try {
    execFileSync(process.execPath, ['--import', 'tsx', script, ...(check ? ['--check'] : [])], {
      cwd: root,
      stdio: 'inherit',
    })
  } catch {
    process.exitCode = 1 // it has said why
  }
}

async function generateWebApp() {
  if (webAppIsCurrent(root)) return say('src/web/app/dist is current')
  await buildWebApp(root)
  say('src/web/app/dist written')
}

function runTool(name, args, cwd) {
  execFileSync(join(root, 'node_modules', '.bin', name), args, { cwd, stdio: 'inherit' })
}

function sameFiles(a, b) {
  const [inA, inB] = [filesUnder(a), filesUnder(b)]
  return (
    inA.join('\n') === inB.join('\n') &&
    inA.every((file) => readFileSync(join(a, file)).equals(readFileSync(join(b, file))))
  )
}

function filesUnder(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })) return []
  return readdirSync(folder, { recursive: true })
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort()
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
