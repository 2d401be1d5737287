import type { WebConfig } from '../../../api.ts'
import type { NamedSaid, Said } from '../../chain/said.ts'
import { AddressTo, JobTo } from './links.tsx'

/** Names and values of a call or an event. */
export function Values({
  values,
  web,
}: {
  readonly values: readonly NamedSaid[]
  readonly web: WebConfig
}) {
  return (
    <dl className="values">
      {values.map(({ name, said }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value said={said} web={web} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ said, web }: { readonly said: Said; readonly web: WebConfig }) {
  switch (said.kind) {
    case 'parts':
      return <Values values={said.parts} web={web} />
    case 'address':
      return <AddressTo address={said.text} web={web} />
    case 'job':
      return <JobTo id={said.text} />
    case 'code':
      return <span className="mono">{said.text}</span>
    case 'text':
      return said.text
  }
}
