import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** On return the file outlives a crash of the machine; whoever reads it meanwhile has the old one or this, whole. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await synced(`${path}.new`, 'w', text)
  await rename(`${path}.new`, path)
  // A name is on disk once its folder is.
  await synced(dirname(path), 'r')
}

async function synced(path: string, flags: 'r' | 'w', text?: string): Promise<void> {
  const file = await open(path, flags)
  try {
    if (text !== undefined) await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
