import { Text, Title } from '@mantine/core'
import type { WebConfig } from '../../../api.ts'
import { callOf } from '../../chain/calls.ts'
import type { ChainProposal } from '../../chain/proposals.ts'
import { NameOf, ValuesOf } from '../explorer/named.tsx'
import { Values } from '../explorer/value.tsx'

interface Props {
  readonly proposal: ChainProposal
  readonly web: WebConfig
}

/** All that it would do, from its calls: in words its author may say anything. */
export function Calls({ proposal: { targets, calldatas, values }, web }: Props) {
  return (
    <section>
      <Title order={3} size="h5" mb="xs">
        What it would do
      </Title>
      <ul className="rows card">
        {targets.map((target, i) => {
          const data = calldatas[i] ?? '0x'
          const call = callOf(web, target, data)
          return (
            // A proposal's calls never change.
            // biome-ignore lint/suspicious/noArrayIndexKey: the same call may be there twice
            <li key={i}>
              <NameOf
                name={call?.name ?? 'A call that this page cannot read'}
                address={target}
                web={web}
              />
              {call ? (
                <ValuesOf named={call} web={web} />
              ) : (
                <Values values={[{ name: 'data', said: { kind: 'code', text: data } }]} web={web} />
              )}
              {values[i] ? (
                <Text size="sm">
                  It sends {`${values[i]}`} wei of the chain’s coin, {web.chain.coin.symbol}, along.
                </Text>
              ) : null}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
