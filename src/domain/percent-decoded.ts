/** A part of an address as it was meant; undefined: it holds a percent sign that stands for nothing. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
