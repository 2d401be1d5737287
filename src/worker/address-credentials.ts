import { isIP, type Socket } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { ChannelCredentials, credentials } from '@grpc/grpc-js'

/**
 * TLS to a pool.
 * @param host what its certificate is for; an IPv6 address without brackets
 * @param authorities PEM; undefined: those that this machine trusts
 */
export function tlsTo(host: string, authorities: Buffer | undefined): ChannelCredentials {
  if (!isIP(host)) return credentials.createSsl(authorities)
  return new AddressCredentials(createSecureContext({ ca: authorities }), host)
}

/**
 * gRPC asks for the address as the name of a server. TLS allows none that is an address (RFC 6066), and from
 * Node 26 on such a connection is refused before it begins. Here no name is asked for; the certificate has to be
 * for the address all the same.
 */
class AddressCredentials extends ChannelCredentials {
  constructor(
    private readonly context: SecureContext,
    private readonly address: string,
  ) {
    super()
  }

  override _isSecure(): boolean {
    return true
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other
  }

  override _createSecureConnector(): ReturnType<ChannelCredentials['_createSecureConnector']> {
    return {
      connect: async (socket) => ({ socket: await this.secured(socket), secure: true }),
      waitForReady: async () => {},
      getCallCredentials: () => credentials.createEmpty(),
      destroy: () => {},
    }
  }

  /** @throws what is wrong with the certificate */
  private secured(socket: Socket): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const { context: secureContext, address: host } = this
      const secure = connect({ socket, secureContext, host, ALPNProtocols: ['h2'] }, () =>
        resolve(secure),
      )
      secure.on('error', reject)
    })
  }
}
