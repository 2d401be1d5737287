import { useEffect, useRef } from 'react'

/** As near to the end of the page as somebody is who reads along. */
const NEAR_PX = 120

const isAtEnd = (): boolean => {
  const { scrollHeight } = document.documentElement
  return scrollHeight - window.innerHeight - window.scrollY <= NEAR_PX
}

/**
 * Keeps the end of a growing answer in view, for as long as the reader stays there: who scrolls up to
 * read is left alone. A new question begins it again.
 * @param length of all that is shown; @param questions how many were asked
 */
export function useFollowAnswer(length: number, questions: number): void {
  const follows = useRef(false)
  useEffect(() => {
    // Growing moves nobody: only a reader's own scrolling says that the end is left, or found again.
    const onScroll = () => {
      follows.current = isAtEnd()
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  useEffect(() => {
    follows.current = questions > 0
  }, [questions])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has grown is to be shown
  useEffect(() => {
    if (follows.current) window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [length, questions])
}
