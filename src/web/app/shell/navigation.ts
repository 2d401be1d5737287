import {
  IconArrowUpRight,
  IconBell,
  IconCoins,
  IconCpu,
  IconCube,
  IconGavel,
  IconHistory,
  IconKey,
  IconListDetails,
  IconMessageChatbot,
  IconNetwork,
  IconPlus,
  IconServer,
  IconSettings,
} from '../parts/icons.ts'

export interface NavigationGroup {
  readonly label: string
  readonly links: readonly {
    readonly to: string
    readonly label: string
    readonly icon: typeof IconCoins
  }[]
}

export const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: 'Credits',
    links: [
      { to: '/', label: 'Overview', icon: IconCoins },
      { to: '/buy', label: 'Buy credits', icon: IconPlus },
      { to: '/withdraw', label: 'Withdraw', icon: IconArrowUpRight },
      { to: '/history', label: 'History', icon: IconHistory },
    ],
  },
  {
    label: 'Use',
    links: [
      { to: '/playground', label: 'Playground', icon: IconMessageChatbot },
      { to: '/jobs', label: 'Jobs', icon: IconListDetails },
      { to: '/models', label: 'Models', icon: IconCpu },
      { to: '/network', label: 'Network', icon: IconNetwork },
    ],
  },
  {
    label: 'Access',
    links: [
      { to: '/key', label: 'API key', icon: IconKey },
      { to: '/webhooks', label: 'Webhooks', icon: IconBell },
      { to: '/settings', label: 'Settings', icon: IconSettings },
    ],
  },
  {
    label: 'Chain',
    links: [
      { to: '/workers', label: 'Workers', icon: IconServer },
      { to: '/governance', label: 'Governance', icon: IconGavel },
      { to: '/explorer', label: 'Explorer', icon: IconCube },
    ],
  },
]
