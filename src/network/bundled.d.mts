type NetworkProgram = 'launcher' | 'edge' | 'actors' | 'pool' | 'web' | 'worker'
/** @param build folder of the bundles */
export function nodeArguments(build: string, program: NetworkProgram): readonly string[]
