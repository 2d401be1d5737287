export declare const RUNTIME_PACKAGES: readonly string[]

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}
export declare function runtimeManifest(manifest: Manifest): Manifest
