import { startLoad } from '../steady-load.ts'

/**
 * A caller on a machine of its own: `node --import tsx caller.ts URL KEY AT_ONCE`. It asks until its input
 * ends, says each end in a line, and then all calls as JSON.
 */
const [url, apiKey, atOnce] = process.argv.slice(2)
const network = { base_urls: [url!], api_key: apiKey! }
const load = startLoad(network, {
  atOnce: Number(atOnce),
  edge: () => 0,
  ended: ({ type }) => process.stdout.write(`${type}\n`),
})
process.stdin.resume()
await new Promise((resolve) => process.stdin.once('end', resolve))
// Connections that are kept open would keep the process; what is said must be out before it ends.
process.stdout.write(`${JSON.stringify(await load.end())}\n`, () => process.exit(0))
