import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { NAVIGATION } from './navigation.ts'
import { isAt } from './open-pages.ts'

interface SideProps {
  readonly onChosen?: () => void
  /** Above the pages. */
  readonly children?: ReactNode
}

export function Side({ onChosen = () => {}, children }: SideProps) {
  const { pathname } = useLocation()
  return (
    <nav aria-label="Main">
      {children}
      <Stack gap="lg">
        {NAVIGATION.map(({ label, links }) => (
          <div key={label}>
            <Text size="xs" fw={600} px={10} mb={4} className="muted">
              {label}
            </Text>
            {links.map(({ to, label, icon: Icon }) => (
              <NavLink
                key={to}
                component={Link}
                to={to}
                label={label}
                active={isAt(pathname, to)}
                aria-current={isAt(pathname, to) ? 'page' : undefined}
                leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
                onClick={onChosen}
                style={{ borderRadius: 8 }}
              />
            ))}
          </div>
        ))}
      </Stack>
    </nav>
  )
}

export function Brand() {
  return (
    <Link to="/" className="brand">
      <img src="/icon.svg" alt="" width={28} height={28} />
      Prepaid inference
    </Link>
  )
}
