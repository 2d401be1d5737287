export function webAppIsCurrent(root: string): boolean
export function buildWebApp(root: string): Promise<void>
