import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { WebConfig } from '../../../api.ts'
import { contractAt } from '../../chain/contracts.ts'
import { Back } from '../../parts/back.tsx'
import { short } from '../../parts/words.ts'

/** From one page of the explorer to another. */

export function TxTo({ hash, whole = false }: { readonly hash: string; readonly whole?: boolean }) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link {...props} to="/explorer/tx/$hash" params={{ hash }} />}
      className="mono"
      title={hash}
    >
      {whole ? hash : short(hash)}
    </Anchor>
  )
}

export function BlockTo({ number }: { readonly number: bigint }) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link {...props} to="/explorer/block/$block" params={{ block: `${number}` }} />
      )}
      className="numbers"
    >
      {number.toLocaleString('en')}
    </Anchor>
  )
}

/** A contract of the service by its name. */
export function AddressTo({
  address,
  web,
  whole = false,
}: {
  readonly address: string
  readonly web: WebConfig
  readonly whole?: boolean
}) {
  const contract = contractAt(web, address)
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link {...props} to="/explorer/address/$address" params={{ address }} />
      )}
      className={contract ? undefined : 'mono'}
      title={address}
    >
      {contract?.name ?? (whole ? address : short(address))}
    </Anchor>
  )
}

export function JobTo({ id }: { readonly id: string }) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link {...props} to="/explorer/job/$id" params={{ id }} />}
      className="mono"
    >
      {id}
    </Anchor>
  )
}

export function AllOfIt() {
  return <Back to="/explorer" list="Explorer" />
}
