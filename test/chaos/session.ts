import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { auditCommandFlaws } from './audit.ts'
import { checkAll } from './checks.ts'
import { FAULTS, WORLDS } from './faults/every.ts'
import type { Fault, WorldKind } from './faults/fault.ts'
import { type Load, startLoad } from './load.ts'
import { type MemoryWatch, watchMemory } from './memory.ts'
import { oneRun, type Run } from './one-run.ts'
import type { Options } from './options.ts'
import { faultTable, flawLines } from './report.ts'
import { makeWorld, type World } from './world.ts'

interface House {
  readonly kind: WorldKind
  readonly world: World
  readonly load: Load
}

/** Runs of faults, one network after the other, and what is known of them at any moment. */
export class Session {
  readonly #runs: Run[] = []
  /** What is wrong at the end of a network's life, beside its runs. */
  readonly #lastFlaws: string[] = []
  readonly #options: Options
  readonly #memory: MemoryWatch
  readonly #began = performance.now()
  #house: House | undefined
  #isOver = false

  constructor(options: Options) {
    this.#options = options
    this.#memory = watchMemory(() => this.#house?.world.network)
    mkdirSync(options.report, { recursive: true })
  }

  get isClean(): boolean {
    const clean = this.#runs.every(({ flaws }) => flaws.length === 0)
    return this.#runs.length > 0 && clean && this.#lastFlaws.length === 0
  }

  /** Each fault so often; round after round, so that an early end has seen something of each. */
  async chaos(): Promise<void> {
    const wanted = this.#wanted()
    if (wanted.length === 0) throw new Error('no fault is called so: see --help')
    for (const kind of Object.keys(WORLDS) as WorldKind[]) {
      for (let index = 0; index < this.#options.runs; index++) {
        for (const fault of wanted.filter(({ world }) => world === kind)) {
          await this.#run(fault, index)
        }
      }
    }
    await this.leave()
  }

  /** One network, load all the time, and now and then a fault at random. */
  async soak(minutes: number): Promise<void> {
    const faults = this.#wanted().filter(({ world }) => world === 'usual')
    const over = performance.now() + minutes * 60_000
    const turns = new Map<Fault, number>()
    while (performance.now() < over) {
      const { load } = await this.#houseOf('usual')
      load.goOn()
      await pause(this.#options.calmSeconds * 1_000)
      await load.rest()
      const fault = faults[Math.floor(Math.random() * faults.length)]
      if (!fault) throw new Error('no fault is called so: see --help')
      const index = turns.get(fault) ?? Math.floor(Math.random() * 6)
      turns.set(fault, index + 1)
      await this.#run(fault, index)
    }
    await this.leave()
  }

  /** No more runs, whatever goes on; then as `leave`. */
  async giveUp(): Promise<void> {
    this.#isOver = true
    await this.leave()
  }

  /** Ends the network, after a last look at all that callers ever got of it. */
  async leave(): Promise<void> {
    const house = this.#house
    if (!house) return
    this.#house = undefined
    try {
      await house.load.rest()
      const flaws = [
        ...(await checkAll(house.world, house.load.kept)),
        ...(await auditCommandFlaws(house.world.network)),
      ]
      this.#lastFlaws.push(...flaws)
      if (flaws.length > 0) house.world.keepRemains(join(this.#options.report, `end-${Date.now()}`))
    } finally {
      await house.world.stop()
      this.write()
    }
  }

  write(): void {
    const { report } = this.#options
    const minutes = (performance.now() - this.#began) / 60_000
    const json = {
      minutes,
      runs: this.#runs,
      lastFlaws: this.#lastFlaws,
      memory: this.#memory.lives(),
    }
    writeFileSync(join(report, 'report.json'), `${JSON.stringify(json, null, 1)}\n`)
    writeFileSync(join(report, 'report.txt'), this.inWords())
  }

  inWords(): string {
    const minutes = (performance.now() - this.#began) / 60_000
    const clean = this.#runs.filter(({ flaws }) => flaws.length === 0).length
    return [
      `${this.#runs.length} faults in ${minutes.toFixed(1)} minutes, ${clean} of them clean`,
      faultTable(this.#runs),
      this.#memory.table(),
      flawLines(this.#runs),
      ...this.#lastFlaws.map((flaw) => `at the end: ${flaw}`),
    ].join('\n')
  }

  end(): void {
    this.#memory.stop()
  }

  #wanted(): readonly Fault[] {
    const { only, cluster } = this.#options
    const standing = cluster ? 'cluster' : 'one server'
    return FAULTS.filter(
      ({ name, nats }) =>
        (nats ?? standing) === standing &&
        (only.length === 0 || only.some((part) => name.includes(part))),
    )
  }

  async #run(fault: Fault, index: number): Promise<void> {
    const { world, load } = await this.#houseOf(fault.world)
    const run = await oneRun(world, load, fault, { index })
    this.#runs.push(run)
    process.stdout.write(`${inOneLine(run)}\n`)
    if (run.flaws.length > 0) {
      // What is broken stays broken, and would be found again after each run that follows.
      world.keepRemains(join(this.#options.report, `${fault.name.replace(/\W+/g, '-')}-${index}`))
      this.#house = undefined
      await world.stop()
    }
    this.write()
  }

  async #houseOf(kind: WorldKind): Promise<House> {
    if (this.#house && this.#house.kind !== kind) await this.leave()
    if (this.#isOver) throw new Error('given up')
    if (!this.#house) {
      const world = await makeWorld({ ...WORLDS[kind], cluster: this.#options.cluster })
      this.#house = { kind, world, load: startLoad(world.callers, this.#options.atOnce) }
      await this.#house.load.rest()
    }
    return this.#house
  }
}

function inOneLine({
  fault,
  turn,
  recoveryMs,
  affected,
  calls,
  flaws,
  note,
  auditMs,
}: Run): string {
  const told = Object.entries(calls).map(([what, count]) => `${count} ${what}`)
  const mark = flaws.length === 0 ? '✓' : '✗'
  const times = `back ${(recoveryMs / 1_000).toFixed(1)} s, audit ${(auditMs / 1_000).toFixed(1)} s`
  const lines = flaws.slice(0, 6).map((flaw) => `\n    ✗ ${flaw}`)
  return (
    `${mark} ${fault} #${turn}  ${times}, ${affected} affected  ` +
    `${told.join(', ')}${note ? `  (${note})` : ''}${lines.join('')}`
  )
}
