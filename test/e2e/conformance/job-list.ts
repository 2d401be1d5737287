import * as assert from 'uvu/assert'
import { type Answer, bodyOf, type Customer, chat, jobBecomes, send } from '../customer.ts'
import type { Job } from '../public-shapes.ts'
import { once } from './conformance.ts'
import { refusedAs } from './envelope.ts'
import { checkJob, hasFields } from './forms.ts'
import { header, LITE, NO_JOB, STANDARD, type Wire, type WireRow } from './wire-stage.ts'

interface JobList {
  readonly object: string
  readonly data: readonly Job[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** A wallet of its own, with jobs enough for two pages of the default size. */
interface Listed {
  readonly owner: Customer
  /** Newest first. */
  readonly ids: readonly string[]
  /** Of `ids`, the one that failed, and the one of another model. */
  readonly failed: string
  readonly standard: string
}

const LITE_JOBS = 21
const PAGE_MAX = 100

export function jobListRows(row: WireRow, wire: () => Wire): void {
  const listed = once(() => makeJobs(wire()))
  const list = async (query = ''): Promise<JobList> => readList((await listed()).owner, query)
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }) => id)

  fieldRows(row, { list, listed })
  queryRows(row, { wire, list, listed, idsOf })
  cursorRows(row, { list, listed, idsOf })
  refusalRows(row, wire, listed)
}

interface Tools {
  readonly list: (query?: string) => Promise<JobList>
  readonly listed: () => Promise<Listed>
  readonly idsOf: (query: string) => Promise<string[]>
}

function fieldRows(row: WireRow, { list, listed }: Omit<Tools, 'idsOf'>): void {
  row('Job list', 'object: always list', async () => {
    const page = await list()
    hasFields(page, ['object', 'data', 'has_more', 'next_cursor'])
    assert.is(page.object, 'list')
  })
  row('Job list', 'data: array of Job', async () => {
    const { data } = await list()
    const { owner } = await listed()
    for (const job of data) checkJob(job)
    const [first] = data
    assert.equal(first, bodyOf(await send(owner, `/jobs/${first?.id}`)), 'as GET /jobs/<id> shows')
  })
  row('Job list', 'has_more: boolean', async () => {
    assert.is((await list('?limit=5')).has_more, true)
    assert.is((await list('?limit=100')).has_more, false)
  })
  row('Job list', 'next_cursor: a job ID to use as cursor', async () => {
    const { ids } = await listed()
    const { data, next_cursor } = await list('?limit=5')
    assert.is(next_cursor, data.at(-1)?.id)
    const next = await list(`?limit=5&before=${next_cursor}`)
    assert.equal(
      next.data.map(({ id }) => id),
      ids.slice(5, 10),
    )
  })
}

function queryRows(
  row: WireRow,
  { wire, list, listed, idsOf }: Tools & { wire: () => Wire },
): void {
  row('GET /jobs', 'lists the jobs that belong to the authenticated key', async () => {
    const { ids } = await listed()
    assert.equal(await idsOf('?limit=100'), ids)
    const stranger = await wire().buyer(100)
    const nothing = { object: 'list', data: [], has_more: false, next_cursor: null }
    assert.equal(await readList(stranger, ''), nothing)
  })
  row('GET /jobs', 'limit: integer, default 20, maximum 100', async () => {
    const { ids } = await listed()
    assert.is((await list()).data.length, 20)
    assert.is((await list('?limit=1')).data.length, 1)
    assert.is((await list(`?limit=${PAGE_MAX}`)).data.length, ids.length)
  })
  row('GET /jobs', 'before: only jobs created before this job ID', async () => {
    const { ids } = await listed()
    assert.equal(await idsOf(`?before=${ids[3]}&limit=100`), ids.slice(4))
    assert.equal(await idsOf(`?before=${ids.at(-1)}`), [])
  })
  row('GET /jobs', 'after: only jobs created after this job ID', async () => {
    const { ids } = await listed()
    assert.equal(await idsOf(`?after=${ids[3]}&limit=100`), ids.slice(0, 3))
    assert.equal(await idsOf(`?after=${ids[0]}`), [])
  })
  row('GET /jobs', 'status: filter to one job status', async () => {
    const { ids, failed } = await listed()
    assert.equal(await idsOf('?status=failed'), [failed])
    assert.equal(
      await idsOf('?status=settled&limit=100'),
      ids.filter((id) => id !== failed),
    )
    for (const status of ['pending', 'processing', 'settling', 'refunded', 'disputed']) {
      assert.equal(await idsOf(`?status=${status}`), [])
    }
  })
  row('GET /jobs', 'model: filter to one model ID', async () => {
    const { ids, failed, standard } = await listed()
    assert.equal(await idsOf(`?model=${encodeURIComponent(STANDARD)}`), [standard])
    assert.equal(
      await idsOf(`?model=${encodeURIComponent(LITE)}&limit=100`),
      ids.filter((id) => id !== standard),
    )
    assert.equal(await idsOf(`?model=${encodeURIComponent(LITE)}&status=failed`), [failed])
  })
  row('GET /jobs (choice)', 'newest first, always', async () => {
    const { data } = await list('?limit=100')
    const times = data.map(({ created_at }) => Date.parse(created_at))
    assert.equal(
      times,
      [...times].sort((a, b) => b - a),
    )
  })
}

function cursorRows(row: WireRow, { list, listed, idsOf }: Tools): void {
  row('GET /jobs (choice)', 'both cursors: the jobs strictly between them', async () => {
    const { ids } = await listed()
    const [newer, older] = [ids[2], ids[7]]
    assert.equal(await idsOf(`?before=${newer}&after=${older}`), ids.slice(3, 7))
    assert.equal(await idsOf(`?before=${older}&after=${newer}`), [], 'nothing lies between')
  })
  row(
    'GET /jobs (choice)',
    'before pages towards older jobs, after alone towards newer ones',
    async () => {
      const { ids } = await listed()
      assert.equal(await idsOf(`?before=${ids[10]}&limit=3`), ids.slice(11, 14))
      // Just newer than the cursor, and still the newest of them first.
      assert.equal(await idsOf(`?after=${ids[10]}&limit=3`), ids.slice(7, 10))
    },
  )
  row(
    'GET /jobs (choice)',
    'next_cursor goes on in the same direction, null when has_more is false',
    async () => {
      const { ids } = await listed()
      const older: string[] = []
      for (let query = '?limit=4'; ; ) {
        const { data, has_more, next_cursor } = await list(query)
        older.push(...data.map(({ id }) => id))
        assert.is(next_cursor === null, !has_more)
        if (next_cursor === null) break
        query = `?limit=4&before=${next_cursor}`
      }
      assert.equal(older, ids)

      const newer: string[] = []
      for (let cursor = ids.at(-1) ?? ''; ; ) {
        const { data, has_more, next_cursor } = await list(`?limit=4&after=${cursor}`)
        newer.unshift(...data.map(({ id }) => id))
        assert.is(next_cursor === null, !has_more)
        if (next_cursor === null) break
        cursor = next_cursor
      }
      assert.equal(newer, ids.slice(0, -1))
    },
  )
}

function refusalRows(row: WireRow, wire: () => Wire, listed: () => Promise<Listed>): void {
  const refuses = async (param: string, queries: readonly string[]) => {
    const { owner } = await listed()
    for (const query of queries) {
      const answer: Answer = await send(owner, `/jobs?${query}`)
      refusedAs(answer, wire().network.docs_url, { status: 400, code: 'invalid_request', param })
    }
  }
  row('GET /jobs (choice)', 'unknown cursor: 400 naming the parameter', async () => {
    const stranger = (await wire().plain()).job.id
    for (const param of ['before', 'after']) {
      // A job of another wallet is as unknown as one that never was.
      const values = [NO_JOB, 'nonsense', '', stranger, '%00']
      await refuses(
        param,
        values.map((value) => `${param}=${value}`),
      )
    }
  })
  row('GET /jobs (choice)', 'unknown status: 400 naming the parameter', () =>
    refuses('status', ['status=done', 'status=', 'status=SETTLED', 'status=__proto__']),
  )
  row('GET /jobs (choice)', 'unknown limit: 400 naming the parameter', () =>
    refuses(
      'limit',
      ['0', '-1', '101', '1.5', 'ten', '', '1e2', '0x10', '99999999999999999999'].map(
        (value) => `limit=${value}`,
      ),
    ),
  )
}

async function readList(owner: Customer, query: string): Promise<JobList> {
  return bodyOf(await send(owner, `/jobs${query}`))
}

/** One after the other, so that their order is known. */
async function makeJobs({ buyer }: Wire): Promise<Listed> {
  const owner = await buyer(200)
  const ids: string[] = []
  const ask = async (body: object, status = 200): Promise<string> => {
    const answer = await chat(owner, body)
    assert.is(answer.status, status, answer.text)
    const id = header(answer, 'x-svc-job-id')
    ids.unshift(id)
    return id
  }
  const lite = { model: LITE, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 3 }
  for (let i = 0; i < LITE_JOBS; i++) await ask(lite)
  const standard = await ask({ ...lite, model: STANDARD })
  // Too long, as only the worker can tell.
  const overlong = [{ role: 'user', content: 'a '.repeat(40_000) }]
  const failed = await ask({ ...lite, messages: overlong }, 400)
  for (const id of ids) {
    const end = id === failed ? 'failed' : 'settled'
    await jobBecomes(owner, id, ({ status }) => status === end)
  }
  return { owner, ids, failed, standard }
}
