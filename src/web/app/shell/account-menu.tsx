import { Button, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebSession } from '../../api.ts'
import { call } from '../api/call.ts'
import { endSession } from '../api/client.ts'
import { noteSignedOut } from '../api/signed-in-before.ts'
import { IconChevronDown, IconLogout, IconSettings } from '../parts/icons.ts'
import { short } from '../parts/words.ts'
import { forgetUnfinished } from '../session/unfinished.ts'

export function AccountMenu({ session }: { readonly session: WebSession }) {
  const client = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => call<unknown>('DELETE', '/session'),
    onSuccess: () => {
      forgetUnfinished()
      noteSignedOut()
      endSession(client)
    },
  })
  return (
    // The first item takes the focus, not a place before it, which is no part of a menu.
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          size="sm"
          loading={signOut.isPending}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          aria-label={`Account ${short(session.wallet)}`}
        >
          <span className="mono">{short(session.wallet)}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/settings" leftSection={<IconSettings size={16} />}>
          Settings
        </Menu.Item>
        {/* It stays open until it is done, which takes it away: else nobody would see that it failed. */}
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          closeMenuOnClick={false}
          onClick={() => signOut.mutate()}
        >
          {signOut.isError ? 'Sign out failed: try again' : 'Sign out'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
