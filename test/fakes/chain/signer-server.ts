import { createServer } from 'node:http'
import type { Address } from '../../../src/domain/ids.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import type { TransactionSigner } from '../../../src/ports/signer.ts'
import { freePort } from '../../integration/servers.ts'

/** Speaks as Web3Signer does, or as clef; or as one that cannot be trusted. */
export interface SignerServer {
  readonly url: string
  readonly methods: string[]
  /** Replaces what a sound signer would answer. */
  answer: ((sound: Hex, request: SignRequest) => unknown) | undefined
  down: boolean
  stop(): Promise<void>
}

export interface SignRequest {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value: Hex
  readonly nonce: Hex
  readonly gas: Hex
  readonly maxFeePerGas: Hex
  readonly maxPriorityFeePerGas: Hex
  readonly chainId: Hex
}

export async function startSigner(
  key: TransactionSigner,
  dialect: 'web3signer' | 'clef' = 'web3signer',
): Promise<SignerServer> {
  const port = await freePort()
  const knows = dialect === 'clef' ? 'account_signTransaction' : 'eth_signTransaction'
  const signer: SignerServer = {
    url: `http://127.0.0.1:${port}`,
    methods: [],
    answer: undefined,
    down: false,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method, params } = JSON.parse(body) as {
      id: number
      method: string
      params: [SignRequest]
    }
    if (signer.down) {
      response.statusCode = 503
      response.end('down')
      return
    }
    signer.methods.push(method)
    const reply = (content: object) =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...content }))
    if (method !== knows) {
      reply({ error: { code: -32_601, message: `the method ${method} does not exist` } })
      return
    }
    const raw = await signAs(key, params[0])
    const sound = dialect === 'clef' ? { raw, tx: {} } : raw
    reply({ result: signer.answer ? signer.answer(raw, params[0]) : sound })
  })
  server.keepAliveTimeout = 1
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return signer
}

async function signAs(key: TransactionSigner, request: SignRequest): Promise<Hex> {
  const { to, data } = request
  const { raw } = await key.sign({
    ...{ to, data, chainId: Number(request.chainId), nonce: Number(request.nonce) },
    gas: BigInt(request.gas),
    maxFeePerGas: BigInt(request.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(request.maxPriorityFeePerGas),
  })
  return raw
}
