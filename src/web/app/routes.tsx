import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { Waiting } from './parts/loaded.tsx'
import { Broken } from './shell/broken.tsx'
import { lazyPage } from './shell/lazy-page.ts'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'

/** One line a page; each is a chunk of its own, loaded when somebody is about to go there. */

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const page = (path: string, component: ReturnType<typeof lazyPage>) =>
  createRoute({ getParentRoute: () => root, path, component })

const pages = [
  page(
    '/sign-in',
    lazyPage(() => import('./session/sign-in-page.tsx'), 'SignInPage'),
  ),
  page(
    '/',
    lazyPage(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
  ),
  page(
    '/buy',
    lazyPage(() => import('./pages/buy/buy.tsx'), 'BuyPage'),
  ),
  page(
    '/withdraw',
    lazyPage(() => import('./pages/withdraw/withdraw.tsx'), 'WithdrawPage'),
  ),
  page(
    '/history',
    lazyPage(() => import('./pages/history/history.tsx'), 'HistoryPage'),
  ),
  page(
    '/playground',
    lazyPage(() => import('./pages/playground/playground.tsx'), 'PlaygroundPage'),
  ),
  page(
    '/jobs',
    lazyPage(() => import('./pages/jobs/jobs.tsx'), 'JobsPage'),
  ),
  page(
    '/jobs/$id',
    lazyPage(() => import('./pages/job/job.tsx'), 'JobPage'),
  ),
  page(
    '/models',
    lazyPage(() => import('./pages/models/models.tsx'), 'ModelsPage'),
  ),
  page(
    '/network',
    lazyPage(() => import('./pages/network/network.tsx'), 'NetworkPage'),
  ),
  page(
    '/key',
    lazyPage(() => import('./pages/keys/keys.tsx'), 'KeyPage'),
  ),
  page(
    '/webhooks',
    lazyPage(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
  ),
  page(
    '/webhooks/$id',
    lazyPage(() => import('./pages/webhooks/webhook.tsx'), 'WebhookPage'),
  ),
  page(
    '/settings',
    lazyPage(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
  ),
  page(
    '/workers',
    lazyPage(() => import('./pages/workers/workers.tsx'), 'WorkersPage'),
  ),
  page(
    '/workers/$address',
    lazyPage(() => import('./pages/workers/worker.tsx'), 'WorkerPage'),
  ),
  page(
    '/governance',
    lazyPage(() => import('./pages/governance/governance.tsx'), 'GovernancePage'),
  ),
  page(
    '/governance/$id',
    lazyPage(() => import('./pages/governance/proposal.tsx'), 'ProposalPage'),
  ),
  page(
    '/explorer',
    lazyPage(() => import('./pages/explorer/explorer.tsx'), 'ExplorerPage'),
  ),
  page(
    '/explorer/tx/$hash',
    lazyPage(() => import('./pages/explorer/transaction.tsx'), 'TransactionPage'),
  ),
  page(
    '/explorer/block/$block',
    lazyPage(() => import('./pages/explorer/block.tsx'), 'BlockPage'),
  ),
  page(
    '/explorer/address/$address',
    lazyPage(() => import('./pages/explorer/address.tsx'), 'AddressPage'),
  ),
  page(
    '/explorer/job/$id',
    lazyPage(() => import('./pages/explorer/job.tsx'), 'JobOnChainPage'),
  ),
]

export function makeRoutes() {
  return createRouter({
    routeTree: root.addChildren(pages),
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Waiting lines={4} />,
    defaultErrorComponent: Broken,
    scrollRestoration: true,
  })
}
