import { useEffect, useLayoutEffect, useRef } from 'react'

/** As near to the end of the page as somebody is who reads along. */
const NEAR_PX = 120

const isAtEnd = (): boolean => {
  const { scrollHeight } = document.documentElement
  return scrollHeight - window.innerHeight - window.scrollY <= NEAR_PX
}

/**
 * Keeps the end of a growing conversation in view, for as long as the reader stays there: who scrolls up
 * to read is left alone. A new question begins it again.
 * @param questions how many were asked
 */
export function useFollowAnswer(questions: number): void {
  const follows = useRef(false)
  const asked = useRef(questions)
  // Before the question itself is measured, which is what first grows. Who comes back to a conversation is
  // left where they were.
  useLayoutEffect(() => {
    if (asked.current === questions) return
    asked.current = questions
    follows.current = questions > 0
  }, [questions])
  useEffect(() => {
    let scrolledTo = window.scrollY
    // Only a reader moves upwards. A browser tells of scrolling a frame late, so that being far from the
    // end says nothing by itself: the page may have grown since it was scrolled there.
    const onScroll = () => {
      if (isAtEnd()) follows.current = true
      else if (window.scrollY < scrolledTo) follows.current = false
      scrolledTo = window.scrollY
    }
    // Whatever it is that grows: the answer, its receipt, a problem's words.
    const growth = new ResizeObserver(() => {
      if (follows.current) window.scrollTo({ top: document.documentElement.scrollHeight })
    })
    window.addEventListener('scroll', onScroll, { passive: true })
    growth.observe(document.documentElement)
    return () => {
      window.removeEventListener('scroll', onScroll)
      growth.disconnect()
    }
  }, [])
}
