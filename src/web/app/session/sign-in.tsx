import { List, Paper, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Address } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { type Config, useConfig } from 'wagmi'
import { disconnect, getConnection, signMessage } from 'wagmi/actions'
import type { SessionNonce, WebConfig, WebSession } from '../../api.ts'
import { call } from '../api/call.ts'
import { beginSession } from '../api/client.ts'
import { NoCookie } from '../api/failure.ts'
import { configQuery, readSession } from '../api/queries.ts'
import { serviceNow } from '../api/service-clock.ts'
import { Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { WalletProvider } from '../wallet/provider.tsx'
import { plainSignature } from '../wallet/signature.ts'
import { type Connecting, connectTo, useWalletChoice } from '../wallet/use-wallet-choice.ts'
import { WalletList } from '../wallet/wallet-list.tsx'

/** Stands in place of a page until somebody has signed in; the page then follows by itself. */
export function SignIn({ title }: { readonly title: string }) {
  const { data: config } = useQuery(configQuery)
  return (
    <Page
      title="Sign in"
      lead={`Sign in with your wallet to open “${title}”. You sign a short text: it costs nothing, sends no transaction and gives nobody access to your funds.`}
    >
      <Paper className="card" maw={480}>
        <WalletProvider>{(web) => <Wallets web={web} />}</WalletProvider>
      </Paper>
      <List size="sm" className="muted" maw={560}>
        <List.Item>
          Your wallet address is your account. There is no password and no email.
        </List.Item>
        {config && (
          <List.Item>
            You stay signed in for {hours(config.session_hours)}, or until you sign out.
          </List.Item>
        )}
        <List.Item>
          Credits belong to the wallet and can be withdrawn at any time, without a fee.
        </List.Item>
      </List>
    </Page>
  )
}

const hours = (count: number): string => (count === 1 ? 'an hour' : `${count} hours`)

const STEPS = {
  connecting: 'Asking your wallet for its address…',
  switching: 'Asking your wallet to switch to this service’s chain…',
  signing: 'Waiting for your signature in the wallet…',
  checking: 'Checking the signature…',
} as const
type Step = keyof typeof STEPS

function Wallets({ web }: { readonly web: WebConfig }) {
  const config = useConfig()
  const client = useQueryClient()
  const [step, setStep] = useState<Step>('connecting')
  const signIn = useWalletChoice(
    (connector, signal) =>
      signInWith(config, { connector, signal, chainId: web.chain.id }, (next) => {
        if (!signal.aborted) setStep(next)
      }),
    (session) => beginSession(client, session),
  )
  return (
    <Stack>
      <WalletList
        busy={signIn.busy}
        choose={signIn.choose}
        // What is being checked is in no wallet's hands, and may have begun the session.
        stop={step === 'checking' ? undefined : signIn.stop}
      />
      <Text size="sm" role="status" className="muted" hidden={!signIn.busy}>
        {signIn.busy ? STEPS[step] : ''}
      </Text>
      {signIn.error && <Problem error={signIn.error} />}
    </Stack>
  )
}

async function signInWith(
  config: Config,
  asked: Connecting,
  say: (step: Step) => void,
): Promise<WebSession> {
  const { connector, chainId, signal } = asked
  say('connecting')
  const address = await addressOf(config, asked, () => say('switching'))
  const { nonce } = await call<SessionNonce>('POST', '/session/nonce')
  const message = createSiweMessage({
    address,
    chainId,
    nonce,
    domain: window.location.host,
    uri: window.location.origin,
    version: '1',
    statement: 'Sign in to manage your prepaid inference credits. This costs nothing.',
    issuedAt: new Date(serviceNow()),
  })
  signal.throwIfAborted()
  say('signing')
  const signature = await signMessage(config, { account: address, message, connector })
  signal.throwIfAborted()
  say('checking')
  const session = await call<WebSession>('POST', '/session', {
    message,
    signature: plainSignature(signature),
  })
  // Else the page would ask to sign in again and again, and never say why.
  if ((await readSession().catch(() => session)) === null) throw new NoCookie('no cookie')
  return session
}

/** Asks the wallet only where it has not said so yet. */
async function addressOf(
  config: Config,
  asked: Connecting,
  onSwitching: () => void,
): Promise<Address> {
  const current = getConnection(config)
  if (current.status === 'connected') {
    if (current.connector.uid === asked.connector.uid) return current.address
    await disconnect(config)
  }
  return connectTo(config, asked, onSwitching)
}
