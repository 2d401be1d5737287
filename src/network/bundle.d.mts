export const NETWORK: Readonly<Record<string, string>>
/** @returns the folder of the bundles; it stays as long as this process lives */
export function bundleNetwork(root: string): Promise<string>
export function bundle(
  root: string,
  name: string,
  programs: Readonly<Record<string, string>>,
  instead?: Readonly<Record<string, string>>,
): Promise<string>
