import { useEffect } from 'react'

/**
 * A button is disabled while it works, and browsers take the focus from what is disabled. Whoever
 * pressed it gets it back there, unless they have gone elsewhere meanwhile.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let pressed: HTMLButtonElement | null = null
    const press = ({ target }: Event) => {
      pressed = target instanceof Element ? target.closest('button') : null
    }
    const giveBack = () => {
      if (document.activeElement !== document.body) return
      if (pressed?.isConnected && !pressed.disabled) pressed.focus({ preventScroll: true })
    }
    const enabled = new MutationObserver(giveBack)
    enabled.observe(document.body, { subtree: true, attributeFilter: ['disabled'] })
    document.addEventListener('click', press, true)
    return () => {
      enabled.disconnect()
      document.removeEventListener('click', press, true)
    }
  }, [])
}
