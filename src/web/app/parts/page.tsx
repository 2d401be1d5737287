import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

/** Set once the first page has been shown: from then on a new page takes the focus. */
let navigated = false

/** A page's heading and title. After navigation the heading is focused, so that it is read out. */
export function Page({
  title,
  lead,
  children,
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Prepaid inference`
  }, [title])
  useEffect(() => {
    // The router has scrolled already: to the top, or after Back to where the reader was.
    if (navigated) heading.current?.focus({ preventScroll: true })
    navigated = true
  }, [])
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {lead && (
          <Text className="muted lead" mt={4} maw={680}>
            {lead}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  )
}
