import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { configQuery } from '../api/queries.ts'
import { IconExternalLink } from './icons.ts'
import { short } from './words.ts'

/** A transaction, where the explorer shows it. */
export function TxLink({ hash, label }: { readonly hash: string; readonly label?: string }) {
  return (
    <ExplorerLink path={`/tx/${hash}`} label={label ?? `Transaction ${short(hash)}`} title={hash} />
  )
}

interface AddressLinkProps {
  readonly address: string
  readonly label?: string
}

export function AddressLink({ address, label = short(address) }: AddressLinkProps) {
  return <ExplorerLink path={`/address/${address}`} label={label} title={address} />
}

function ExplorerLink(link: {
  readonly path: string
  readonly label: string
  readonly title: string
}) {
  const { data: config } = useQuery(configQuery)
  if (!config) return <span className="numbers">{link.label}</span>
  return (
    <Anchor
      href={`${config.explorer_url}${link.path}`}
      target="_blank"
      rel="noreferrer"
      title={link.title}
      size="sm"
      className="numbers explorer-link"
    >
      {link.label}
      <IconExternalLink size={13} aria-label="(opens in a new tab)" style={{ marginLeft: 3 }} />
    </Anchor>
  )
}
