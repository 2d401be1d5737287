/** A host as sockets and lists take it: URLs put an IPv6 address in brackets. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '')
