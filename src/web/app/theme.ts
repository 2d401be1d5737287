import { Alert, Anchor, createTheme, type MantineColorsTuple } from '@mantine/core'
import type { MouseEvent } from 'react'

/** One accent. Shade 8 on white and shade 2 on dark grey both pass 4.5:1. */
const accent: MantineColorsTuple = [
  '#e9f7f5',
  '#d3ece8',
  '#a3d9d0',
  '#70c5b7',
  '#48b4a3',
  '#2ea996',
  '#1c8f7e',
  '#117a6b',
  '#0a6357',
  '#034d43',
]

const SYSTEM_FONTS =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'
const SYSTEM_MONOSPACE =
  'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'

const barOf = (color: string) => `var(--mantine-color-${color}-6)`

/**
 * The second click of a double one may come before the first has changed the button, and would do the
 * same again, or meets another button in its place.
 */
function ignoreSecond(event: MouseEvent): void {
  if (event.detail < 2) return
  event.preventDefault()
  event.stopPropagation()
}

export const theme = createTheme({
  colors: { accent },
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  fontFamily: SYSTEM_FONTS,
  fontFamilyMonospace: SYSTEM_MONOSPACE,
  headings: { fontFamily: SYSTEM_FONTS, fontWeight: '650' },
  cursorType: 'pointer',
  focusRing: 'auto',
  // Who asks for less motion gets none.
  respectReducedMotion: true,
  components: {
    // In a sentence, colour alone does not make a link.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    Button: { defaultProps: { onClickCapture: ignoreSecond } },
    // A page has one banner; what stands above a dialog is none.
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
    Drawer: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
    // The library's own colour of an alert is nearly white in dark mode, as text on a dark badge is.
    Alert: Alert.extend({
      vars: (_, { color = 'accent' }) => ({
        root: { '--alert-bar': barOf(String(color)) } as object,
      }),
    }),
  },
})
