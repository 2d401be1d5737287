// Preloaded into a process whose garbage collector then runs all the time: what only the collector's leisure
// keeps alive is gone at once.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
setInterval(runInNewContext('gc'), 50).unref()
