export const NETWORK: Readonly<Record<string, string>>
/** @returns the folder of the bundles; it stays as long as this process lives */
export function bundleNetwork(root: string): Promise<string>
/** Somebody else's project, or one on a disk to be read. */
export class NotWritable extends Error {}
/** Ends the process with a plain sentence where it would throw `NotWritable`. */
export function bundleNetworkOrEnd(root: string): Promise<string>
/** @throws {NotWritable} */
export function bundle(
  root: string,
  name: string,
  programs: Readonly<Record<string, string>>,
  instead?: Readonly<Record<string, string>>,
): Promise<string>
