import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { JobLife, WebConfig } from '../../../api.ts'
import { configQuery } from '../../api/queries.ts'
import { IconCircleCheck } from '../../parts/icons.ts'
import { Problem } from '../../parts/problem.tsx'
import { Progress } from '../../parts/progress.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { textHash } from './text-hash.ts'
import type { Check } from './verify/judge.ts'

type Job = JobLife['job']
interface Asked {
  readonly web: WebConfig
  readonly job: Job
  readonly text: string
  readonly wallet: string
}

export function Verify({ job, text, wallet }: Omit<Asked, 'web'>) {
  const { data: web } = useQuery(configQuery)
  const checking = useMutation({ mutationFn: verify })
  // A verdict is of the text that it was asked about.
  const checks = checking.variables?.text === text ? checking.data : undefined
  return (
    <Stack>
      <div>
        <Button
          disabled={!web}
          loading={checking.isPending}
          onClick={() => web && checking.mutate({ web, job, text, wallet })}
        >
          {text === '' ? 'Verify without a text' : 'Verify'}
        </Button>
      </div>
      <Progress text={checking.isPending ? 'Asking the chain…' : undefined} />
      {checking.error && <Problem error={checking.error} />}
      {checks && !checking.isPending && (
        <>
          <Verdict checks={checks} />
          <Checks checks={checks} />
        </>
      )}
    </Stack>
  )
}

/** What reads the chain is loaded only once somebody wants it. */
async function verify({ web, job, text, wallet }: Asked): Promise<readonly Check[]> {
  const [{ readJob }, { judge }] = await Promise.all([
    import('./verify/read-job.ts'),
    import('./verify/judge.ts'),
  ])
  return judge(await readJob(web, job), {
    wallet,
    chainId: web.chain.id,
    textHash: text === '' ? null : textHash(text),
    unitsPerCredit: BigInt(web.units_per_credit),
  })
}

function Verdict({ checks }: { readonly checks: readonly Check[] }) {
  const broken = checks.filter(({ holds }) => holds === false).length
  const open = checks.filter(({ holds }) => holds === null).length
  if (broken > 0) {
    const title = broken === 1 ? 'One check does not hold' : `${broken} checks do not hold`
    return (
      <Alert color="red" role="status" title={title}>
        Look at what is marked below. If only your text differs: text copied from a page may have
        lost spaces or line ends; compare what your program received. If it is another answer than
        the worker signed, dispute it below while there is time.
      </Alert>
    )
  }
  if (open > 0) {
    return (
      <Alert
        color="yellow"
        role="status"
        title="Nothing is wrong, and not everything can be told yet"
      >
        Verify again once the job is settled.
      </Alert>
    )
  }
  return (
    <Alert color="accent" role="status" icon={<IconCircleCheck />} title="Every check holds">
      {checks.length} things were checked against the chain.
    </Alert>
  )
}

const MARKS = { true: '✓', false: '✗', null: '?' } as const
const SAID = { true: 'Holds', false: 'Does not hold', null: 'Cannot be told' } as const

function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ul className="rows" aria-label="Checks">
      {checks.map(({ claim, holds, evidence, tx }) => (
        <li key={claim} className={`check check-${holds}`}>
          <span role="img" aria-label={SAID[`${holds}`]} className="check-mark">
            {MARKS[`${holds}`]}
          </span>
          <div>
            <Text fw={600}>{claim}</Text>
            <Text size="sm" className="muted" style={{ overflowWrap: 'anywhere' }}>
              {evidence}
            </Text>
            {tx && <TxLink hash={tx} />}
          </div>
        </li>
      ))}
    </ul>
  )
}
