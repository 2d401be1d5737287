import { Badge, Burger, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { configQuery, sessionQuery } from '../api/queries.ts'
import { NoSession, SessionLife } from '../session/session-life.tsx'
import { MovedNotice } from './moved-notice.tsx'
import { isOpenPage } from './open-pages.ts'
import { Brand, Side } from './side.tsx'
import { useFocusKept } from './use-focus-kept.ts'

// Neither is needed to show the first page.
const AccountMenu = lazy(async () => ({
  default: (await import('./account-menu.tsx')).AccountMenu,
}))
const SideDrawer = lazy(async () => ({ default: (await import('./side-drawer.tsx')).SideDrawer }))

const CONTENT = 'content'

export function Shell() {
  useFocusKept()
  const [open, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  const { data: session } = useQuery(sessionQuery)
  const { data: config } = useQuery(configQuery)
  return (
    <>
      <a href={`#${CONTENT}`} className="skip-link">
        Skip to content
      </a>
      <div className="frame">
        <div className="frame-side">
          <Side>
            <div style={{ padding: '0 10px 24px' }}>
              <Brand />
            </div>
          </Side>
        </div>
        <div>
          <header className="frame-top">
            <Group gap="sm" className="only-narrow">
              <Burger
                opened={open}
                onClick={toggle}
                size="sm"
                aria-label="Menu"
                aria-expanded={open}
              />
            </Group>
            <Group gap="sm" ml="auto" wrap="nowrap">
              {config?.development && (
                <Badge color="orange" variant="light" title={config.chain.name}>
                  Test network
                </Badge>
              )}
              {session === null && isOpenPage(pathname) && (
                <Button
                  renderRoot={(props) => (
                    <Link {...props} to="/sign-in" search={{ back: pathname }} />
                  )}
                  variant="default"
                  size="sm"
                >
                  Sign in
                </Button>
              )}
              {session && (
                <Suspense>
                  <AccountMenu session={session} />
                </Suspense>
              )}
            </Group>
          </header>
          <main id={CONTENT} tabIndex={-1} className="frame-main">
            {config && <MovedNotice web={config} />}
            <Outlet />
          </main>
        </div>
      </div>
      {open && (
        <Suspense>
          <SideDrawer opened={open} close={close} />
        </Suspense>
      )}
      {session && <SessionLife session={session} />}
      {session === null && <NoSession />}
    </>
  )
}
