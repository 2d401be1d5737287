import type { WebModelStanding, WebStanding, WebStandings } from '../../../workers-api.ts'

/** One reason, and what its operator can do. */
export interface Reason {
  readonly why: string
  readonly todo: string
  /** When it ends by itself. */
  readonly until?: string
}

/** Below this a worker is tried less than others. */
const COMPLETION_RATE_LOW = 0.9

/** Why a worker has no jobs, or not more of them: what keeps it from all of them first. */
export function whyIdle({ data, pools_silent }: WebStandings): readonly Reason[] {
  const [standing] = data
  if (!standing) return [notConnected(pools_silent)]
  return [
    ...ofItsState(standing),
    ...ofItsModels(standing),
    ...ofItsWork(standing),
    ...ofDemand(standing),
    ...ofItsVersion(standing),
  ]
}

function notConnected(silent: number): Reason {
  const why = 'It is connected to no pool.'
  const todo = 'Look whether the agent runs and reaches its pool.'
  if (silent === 0) return { why, todo }
  const pools = silent === 1 ? 'One pool did not answer' : `${silent} pools did not answer`
  return { why: `No pool that answered knows it. ${pools}.`, todo }
}

function ofItsState({ state, resting_until, ...standing }: WebStanding): readonly Reason[] {
  switch (state) {
    case 'ready':
      return []
    case 'away':
      return [{ why: 'Its connection broke.', todo: 'It has a moment to come back by itself.' }]
    case 'draining':
      return [
        {
          why: 'It, or its pool, is shutting down.',
          todo: 'It gets no new jobs until it is back.',
        },
      ]
    case 'resting':
      return [{ ...whyResting(standing), ...(resting_until && { until: resting_until }) }]
  }
}

function whyResting({
  because,
  failures_in_row,
}: Pick<WebStanding, 'because' | 'failures_in_row'>): Reason {
  switch (because) {
    case 'busy':
      return {
        why: 'It, or the server behind it, had no room for a job.',
        todo: 'Offer fewer with --slots.',
      }
    case 'silent':
      return {
        why: 'It did not answer an offer in time.',
        todo: 'Look at the load of its machine and at its connection.',
      }
    case 'failed':
      return {
        why:
          failures_in_row > 1 ? `Its last ${failures_in_row} jobs failed.` : 'Its last job failed.',
        todo: 'The agent’s log says why. It rests longer each time.',
      }
    case 'broke_rules':
      return {
        why: 'It broke the rules, as with a proof that does not hold.',
        todo: 'The agent’s log says which. It rests longer each time.',
      }
    case 'other':
    case null:
      return { why: 'It is set aside for a while.', todo: 'It gets jobs again by itself.' }
  }
}

function ofItsModels({ left_out, awaited }: WebStanding): readonly Reason[] {
  return [
    ...left_out.map(({ id, reason }) => LEFT_OUT[reason](id)),
    ...awaited.map(({ id, failures, next_at }) => ({
      why:
        failures === 0
          ? `It gets no jobs of ${id} before a first, unpaid one is done.`
          : `It gets no jobs of ${id}: its unpaid first job failed${failures > 1 ? ` ${failures} times` : ''}.`,
      todo:
        failures === 0
          ? 'That comes with its next free slot.'
          : 'The agent’s log says what was wrong.',
      ...(next_at && { until: next_at }),
    })),
  ]
}

const LEFT_OUT: Record<WebStanding['left_out'][number]['reason'], (id: string) => Reason> = {
  not_listed: (id) => ({
    why: `The registry does not list ${id}.`,
    todo: 'Map its name with --models id=upstream-name, or wait for a vote that lists it.',
  }),
  retired: (id) => ({ why: `A vote has retired ${id}.`, todo: 'Serve another model.' }),
  not_served: (id) => ({
    why: `It refused a job of ${id}.`,
    todo: 'Look whether its inference server still has the model.',
  }),
}

function ofItsWork({ completion_rate, callers_kept, jobs }: WebStanding): readonly Reason[] {
  const reasons: Reason[] = []
  if (completion_rate !== null && completion_rate < COMPLETION_RATE_LOW) {
    reasons.push({
      why: `It finished only ${Math.round(completion_rate * 100)} % of its last jobs (${jobs.failed} failed, ${jobs.refused} refused since it connected).`,
      todo: 'Pools then try others first; the agent’s log says what failed.',
    })
  }
  if (callers_kept > 0) {
    reasons.push({
      why: `It is kept from the jobs of ${callers_kept === 1 ? 'one caller' : `${callers_kept} callers`} for a while, since theirs failed here.`,
      todo: 'Jobs of all others still come.',
    })
  }
  return reasons
}

function ofDemand({ models }: WebStanding): readonly Reason[] {
  if (models.length === 0) return []
  const wanted = models.filter((model) => model.jobs_per_minute > 0 || model.queued > 0)
  if (wanted.length > 0) return wanted.map(againstOthers)
  return [
    {
      why: `Nobody asked its pool for ${models.map(({ id }) => id).join(', ')} in the last minute.`,
      todo: 'The models page shows what is served; another model may be asked for more.',
    },
  ]
}

/** Where there is demand, somebody else serves it. */
function againstOthers(model: WebModelStanding): Reason {
  const { id, jobs_per_minute, workers, busy, slots, queued, rank, ranked, first_token_ms } = model
  const jobs = jobs_per_minute === 1 ? '1 job' : `${jobs_per_minute} jobs`
  const waiting = queued > 0 ? `, ${queued} waiting` : ''
  const others = workers === 1 ? 'only this worker serves it' : `${workers} workers serve it`
  return {
    why: `${id}: ${jobs} in the last minute${waiting}; ${others}, with ${busy} of ${slots} slots busy.`,
    todo:
      rank === 0
        ? 'Its own time to the first token is not measured yet.'
        : `By time to the first token it is number ${rank} of ${ranked}, with ${first_token_ms} ms.`,
  }
}

/** Workers that are another program have versions of their own, which this network knows nothing of. */
const AGENT = 'prepaid-inference-agent/'

function ofItsVersion({ software, agent_latest }: WebStanding): readonly Reason[] {
  if (!software.startsWith(AGENT) || software.startsWith(`${AGENT}${agent_latest},`)) return []
  return [
    {
      why: `It runs ${software}; the newest agent is ${agent_latest}.`,
      todo: 'Older ones get jobs, but of no model that only newer ones know. Update it.',
    },
  ]
}
